import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { writeBatch, type BatchOperation } from "../api/documents";
import type { Row } from "../api/queries";
import { StageInstead } from "../changesets/StageInstead";
import { WriteProblem } from "../changesets/StageOffer";
import { useTexts } from "../i18n/texts";
import { Dialog } from "../shell/Dialog";
import { MessageField } from "../shell/MessageField";
import { useBatch } from "./bulk";

/** Sets a label of the documents that are selected, or removes it, after it has shown how many that changes. */
export function BulkLabel({ rows, onClose }: { rows: Row[]; onClose: (done: boolean) => void }) {
  const t = useTexts();
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const operations = useMemo(() => {
    const labels = { [name.trim()]: value.trim() === "" ? null : value.trim() };
    return rows.map(({ id }): BatchOperation => ({ op: "patch", id, data: { metadata: { labels } } }));
  }, [name, rows, value]);
  const [paused] = useDebouncedValue(operations, 300);
  const { apply, message, setMessage } = useBatch(operations, () => onClose(true));
  const named = name.trim() !== "";
  const check = useQuery({ queryKey: ["labels", paused], queryFn: () => writeBatch(paused, { dryRun: true }), enabled: named, staleTime: 0, gcTime: 0 });
  const current = named && paused === operations && check.isSuccess;
  const changed = current ? check.data.filter(({ effect }) => effect !== "unchanged").length : 0;
  const error = (named && check.error) || apply.error;
  return (
    <Dialog title={t("table.labelSelected", { n: rows.length })} onClose={() => onClose(false)}>
      <Stack>
        <Group grow align="flex-start">
          <TextInput data-autofocus label={t("table.labelName")} value={name} onChange={(event) => setName(event.currentTarget.value)} />
          <TextInput label={t("common.value")} description={t("table.labelValueHint")} inputWrapperOrder={["label", "input", "description"]} value={value} onChange={(event) => setValue(event.currentTarget.value)} />
        </Group>
        <Text role="status">{current ? t("table.labelPlan", { n: changed, all: rows.length }) : named && !check.isError ? t("common.checking") : ""}</Text>
        <MessageField value={message} onChange={setMessage} />
        {error && <WriteProblem error={error} onStage={apply.mutateAsync} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => onClose(false)}>
            {t("common.cancel")}
          </Button>
          <StageInstead disabled={changed === 0} onStage={apply.mutateAsync} />
          <Button loading={apply.isPending} disabled={changed === 0} onClick={() => apply.mutate(undefined)}>
            {t("common.apply")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
