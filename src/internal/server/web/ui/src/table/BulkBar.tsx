import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, lazy, useState } from "react";
import { kindsQuery } from "../api/access";
import type { Row } from "../api/queries";
import { useTexts } from "../i18n/texts";
import type { Column } from "../model/columns";
import type { Kind, Model } from "../model/kinds";
import { offerFile } from "../shell/download";
import { ReasonButton } from "../shell/ReasonButton";
import { useReadOnly } from "../view/moment";

// What few need is loaded by those who do.
const BulkEdit = lazy(async () => ({ default: (await import("./BulkEdit")).BulkEdit }));
const BulkLabel = lazy(async () => ({ default: (await import("./BulkLabel")).BulkLabel }));
const BulkMove = lazy(async () => ({ default: (await import("./BulkMove")).BulkMove }));
const BulkDelete = lazy(async () => ({ default: (await import("./BulkDelete")).BulkDelete }));
const exports = () => import("./export");

interface Props {
  model: Model;
  kind: Kind;
  chosen: Row[]; // that are selected
  shown: Row[]; // that the table shows, which are exported where none is selected
  others: Column[]; // that the table shows beside those of the kind
  complete: boolean; // whether those are all that there are
  onClear: () => void;
}

/** What can be done with the rows that are selected. */
export function BulkBar({ model, kind, chosen, shown, others, complete, onClear }: Props) {
  const t = useTexts();
  const [open, setOpen] = useState<"edit" | "label" | "move" | "delete">();
  const rows = chosen.length > 0 ? chosen : shown;
  const partial = chosen.length === 0 && !complete ? t("table.exportPartial") : undefined;
  const past = useReadOnly();
  const rights = useQuery(kindsQuery).data;
  const none = past ?? (chosen.length === 0 ? t("table.selectFirst") : undefined);
  const mayUpdate = rights?.update.has(kind.name) === false ? t("table.mayNotUpdate") : undefined;
  const mayDelete = rights?.delete.has(kind.name) === false ? t("table.mayNotDelete") : undefined;
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
      <Group gap="xs" visibleFrom={chosen.length === 0 ? "sm" : undefined}> {/* a phone has no room for what cannot be done yet */}
        <ReasonButton variant="default" size="xs" reason={mayUpdate ?? none} onClick={() => setOpen("edit")}>
          {t("table.editFields")}
        </ReasonButton>
        <ReasonButton variant="default" size="xs" reason={mayUpdate ?? none} onClick={() => setOpen("label")}>
          {t("table.editLabel")}
        </ReasonButton>
        <ReasonButton variant="default" size="xs" reason={kind.parent === undefined ? t("table.moveTop") : (mayUpdate ?? none)} onClick={() => setOpen("move")}>
          {t("table.move")}
        </ReasonButton>
        <ReasonButton variant="outline" color="red" size="xs" reason={mayDelete ?? none} onClick={() => setOpen("delete")}>
          {t("common.delete")}
        </ReasonButton>
      </Group>
      <ReasonButton variant="default" size="xs" reason={partial} onClick={async () => save((await exports()).csvOf(kind, rows, others), "text/csv", "csv")}>
        {t("table.exportCsv")}
      </ReasonButton>
      <ReasonButton variant="default" size="xs" reason={partial ?? (kind.sensitive ? t("table.exportSecret") : undefined)} onClick={async () => save((await exports()).yamlOf(kind, rows), "application/yaml", "yaml")}>
        {t("table.exportYaml")}
      </ReasonButton>
      {chosen.length > 0 && (
        <Button variant="subtle" size="xs" onClick={onClear}>
          {t("table.clearSelection")}
        </Button>
      )}
      <Suspense>
        {open === "edit" && <BulkEdit kind={kind} rows={chosen} onClose={close} />}
        {open === "label" && <BulkLabel rows={chosen} onClose={close} />}
        {open === "move" && <BulkMove model={model} kind={kind} rows={chosen} onClose={close} />}
        {open === "delete" && <BulkDelete kind={kind} rows={chosen} onClose={close} />}
      </Suspense>
    </Group>
  );
}
