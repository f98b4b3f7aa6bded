import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import type { Row } from "../api/queries";
import { useTexts } from "../i18n/texts";
import type { Kind, Model } from "../model/kinds";
import { offerFile } from "../shell/download";
import { ReasonButton } from "../shell/ReasonButton";
import { BulkDelete } from "./BulkDelete";
import { BulkLabel } from "./BulkLabel";
import { BulkMove } from "./BulkMove";
import { csvOf, yamlOf } from "./export";

interface Props {
  model: Model;
  kind: Kind;
  chosen: Row[]; // that are selected
  shown: Row[]; // that the table shows, which are exported where none is selected
  complete: boolean; // whether those are all that there are
  onClear: () => void;
}

/** What can be done with the rows that are selected. */
export function BulkBar({ model, kind, chosen, shown, complete, onClear }: Props) {
  const t = useTexts();
  const [open, setOpen] = useState<"label" | "move" | "delete">();
  const rows = chosen.length > 0 ? chosen : shown;
  const partial = chosen.length === 0 && !complete ? t("table.exportPartial") : undefined;
  const none = chosen.length === 0 ? t("table.selectFirst") : undefined;
  const close = (done: boolean) => {
    setOpen(undefined);
    if (done) onClear();
  };
  const save = (text: string, type: string, ending: string) => offerFile(new Blob([text], { type }), `${kind.name}.${ending}`);
  return (
    <Group gap="xs" role="toolbar" aria-label={t("table.selectedActions")}>
      <Text size="sm" role="status" miw={100}>
        {t("table.selectedRows", { n: chosen.length })}
      </Text>
      <ReasonButton variant="default" size="xs" reason={none} onClick={() => setOpen("label")}>
        {t("table.editLabel")}
      </ReasonButton>
      <ReasonButton variant="default" size="xs" reason={kind.parent === undefined ? t("table.moveTop") : none} onClick={() => setOpen("move")}>
        {t("table.move")}
      </ReasonButton>
      <ReasonButton variant="outline" color="red" size="xs" reason={none} onClick={() => setOpen("delete")}>
        {t("common.delete")}
      </ReasonButton>
      <ReasonButton variant="default" size="xs" reason={partial} onClick={() => save(csvOf(kind, rows), "text/csv", "csv")}>
        {t("table.exportCsv")}
      </ReasonButton>
      <ReasonButton variant="default" size="xs" reason={partial ?? (kind.sensitive ? t("table.exportSecret") : undefined)} onClick={() => save(yamlOf(kind, rows), "application/yaml", "yaml")}>
        {t("table.exportYaml")}
      </ReasonButton>
      {chosen.length > 0 && (
        <Button variant="subtle" size="xs" onClick={onClear}>
          {t("table.clearSelection")}
        </Button>
      )}
      {open === "label" && <BulkLabel rows={chosen} onClose={close} />}
      {open === "move" && <BulkMove model={model} kind={kind} rows={chosen} onClose={close} />}
      {open === "delete" && <BulkDelete kind={kind} rows={chosen} onClose={close} />}
    </Group>
  );
}
