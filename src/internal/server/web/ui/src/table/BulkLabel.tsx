import { Group, Stack, Text, TextInput } from "@mantine/core";
import { useMemo, useState } from "react";
import type { BatchOperation } from "../api/documents";
import type { Row } from "../api/queries";
import { PlanActions } from "../changesets/PlanActions";
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
  const named = name.trim() !== "";
  const { plan, error, direct, where, stage, apply, applying, message, setMessage } = useBatch(rows, operations, named, () => onClose(true));
  const changed = plan?.filter(({ effect }) => effect !== "unchanged").length ?? 0;
  return (
    <Dialog title={t("table.labelSelected", { n: rows.length })} onClose={() => onClose(false)}>
      <Stack>
        <Group grow align="flex-start">
          <TextInput data-autofocus label={t("table.labelName")} value={name} onChange={(event) => setName(event.currentTarget.value)} />
          <TextInput label={t("common.value")} description={t("table.labelValueHint")} inputWrapperOrder={["label", "input", "description"]} value={value} onChange={(event) => setValue(event.currentTarget.value)} />
        </Group>
        <Text role="status">{plan ? t("table.labelPlan", { n: changed, all: rows.length }) : named && !error ? t("common.checking") : ""}</Text>
        <MessageField value={message} onChange={setMessage} />
        <PlanActions error={error} ready={changed > 0} direct={direct} where={where} doing={applying} onDo={apply} onStage={stage} onCancel={() => onClose(false)}>
          {t("common.apply")}
        </PlanActions>
      </Stack>
    </Dialog>
  );
}
