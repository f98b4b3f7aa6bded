import { Stack, Text, TextInput } from "@mantine/core";
import { useMemo, useState } from "react";
import type { BatchOperation } from "../api/documents";
import type { Row } from "../api/queries";
import { PlanActions } from "../changesets/PlanActions";
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
  const { plan: deleted, error, direct, where, stage, apply, applying, message, setMessage } = useBatch(rows, operations, true, () => onClose(true));
  const plan = deleted && { deleted, total: deleted.length };
  const others = plan ? plan.total - rows.length : 0;
  const confirmed = plan !== undefined && (plan.total <= mostUnconfirmed || typed.trim() === kind.name);
  return (
    <Dialog title={t("table.deleteSelected", { n: rows.length })} size="xl" onClose={() => onClose(false)}>
      <Stack>
        {!plan && !error && <Text role="status">{t("common.loading")}</Text>}
        {plan && others > 0 && <Text fw={600}>{t("table.deleteOthers", { n: others })}</Text>}
        {plan && <PlanList plan={plan} />}
        {plan && <MessageField value={message} onChange={setMessage} />}
        {plan && plan.total > mostUnconfirmed && <TextInput label={t("common.typeToDelete", { name: kind.name, n: plan.total })} value={typed} autoComplete="off" onChange={(event) => setTyped(event.currentTarget.value)} />}
        <PlanActions error={error} ready={confirmed} direct={direct} where={where} doing={applying} color="red.9" onDo={apply} onStage={stage} onCancel={() => onClose(false)}>
          {plan ? t("common.deleteAll", { n: plan.total }) : t("common.delete")}
        </PlanActions>
      </Stack>
    </Dialog>
  );
}
