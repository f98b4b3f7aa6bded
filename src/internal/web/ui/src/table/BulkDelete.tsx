import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { writeBatch, type BatchOperation } from "../api/documents";
import type { Row } from "../api/queries";
import { StageInstead } from "../changesets/StageInstead";
import { WriteProblem } from "../changesets/StageOffer";
import { PlanList, mostUnconfirmed } from "../explorer/PlanList";
import { useTexts } from "../i18n/texts";
import type { Kind } from "../model/kinds";
import { Dialog } from "../shell/Dialog";
import { MessageField } from "../shell/MessageField";
import { useBatch } from "./bulk";

interface Props {
  kind: Kind;
  rows: Row[];
  onClose: (done: boolean) => void;
}

/** Shows all that goes with the documents that are selected, and then deletes that together. */
export function BulkDelete({ kind, rows, onClose }: Props) {
  const t = useTexts();
  const [typed, setTyped] = useState("");
  const operations = useMemo(() => rows.map(({ id, etag }): BatchOperation => ({ op: "delete", id, ifMatch: etag, cascade: true })), [rows]);
  const { apply, message, setMessage } = useBatch(operations, () => onClose(true));
  const check = useQuery({ queryKey: ["deletions", operations], queryFn: () => writeBatch(operations, { dryRun: true }), staleTime: 0, gcTime: 0 });
  const plan = check.data && { deleted: check.data, total: check.data.length };
  const others = plan ? plan.total - rows.length : 0;
  const confirmed = plan !== undefined && (plan.total <= mostUnconfirmed || typed.trim() === kind.name);
  const error = check.error ?? apply.error;
  return (
    <Dialog title={t("table.deleteSelected", { n: rows.length })} size="xl" onClose={() => onClose(false)}>
      <Stack>
        {check.isPending && <Text role="status">{t("common.loading")}</Text>}
        {plan && others > 0 && <Text fw={600}>{t("table.deleteOthers", { n: others })}</Text>}
        {plan && <PlanList plan={plan} />}
        {plan && <MessageField value={message} onChange={setMessage} />}
        {plan && plan.total > mostUnconfirmed && <TextInput label={t("common.typeToDelete", { name: kind.name, n: plan.total })} value={typed} autoComplete="off" onChange={(event) => setTyped(event.currentTarget.value)} />}
        {error && <WriteProblem error={error} onStage={apply.mutateAsync} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => onClose(false)}>
            {t("common.cancel")}
          </Button>
          {plan && <StageInstead disabled={!confirmed} onStage={apply.mutateAsync} />}
          {plan && (
            <Button color="red.9" loading={apply.isPending} disabled={!confirmed} onClick={() => apply.mutate(undefined)}>
              {t("common.deleteAll", { n: plan.total })}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
