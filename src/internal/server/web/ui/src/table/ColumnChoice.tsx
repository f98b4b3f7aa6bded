import { ActionIcon, Autocomplete, Button, Checkbox, Group, Stack, Switch, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import type { ExplorerSearch } from "../addresses";
import type { Row } from "../api/queries";
import { useTexts } from "../i18n/texts";
import type { Kind } from "../model/kinds";
import type { TableColumn } from "./columns";
import { pathsOf } from "./fieldedits";

export interface ColumnsProps {
  kind: Kind;
  rows: Row[];
  known: TableColumn[];
  shown: TableColumn[];
  search: ExplorerSearch;
  onChange: (next: Partial<ExplorerSearch>) => void;
}

/** The columns that there are, as check boxes, and a field for the path of any other. */
export default function ColumnChoice({ kind, rows, known, shown, search, onChange }: ColumnsProps) {
  const t = useTexts();
  const [path, setPath] = useState("");
  const [offers, setOffers] = useState(false);
  const paths = useMemo(() => pathsOf(kind, rows), [kind, rows]);
  const chosen = shown.map(({ id }) => id);
  const choose = (ids: string[]) => onChange({ columns: ids.join(","), wide: undefined });
  const add = (text: string) => {
    const id = text.trim();
    setPath("");
    setOffers(false);
    if (id !== "" && !chosen.includes(id)) choose([...chosen, id]);
  };
  const names: Record<string, string> = { name: t("common.byName"), revision: t("common.revision"), updated: t("common.updated"), by: t("common.changedBy"), created: t("common.created") };
  const others = shown.filter((column) => !known.some(({ id }) => id === column.id));
  return (
    <Stack gap="xs">
      <Switch data-autofocus label={t("table.allColumns")} checked={search.wide === "true"} onChange={(event) => onChange({ wide: event.currentTarget.checked ? "true" : undefined, columns: undefined })} />
      {known.filter(({ id }) => id !== "name").map(({ id, own }) => (
        <Checkbox key={id} label={own?.name ?? names[id]} checked={chosen.includes(id)} onChange={(event) => choose(event.currentTarget.checked ? [...chosen, id] : chosen.filter((other) => other !== id))} />
      ))}
      {others.map(({ id }) => (
        <Group key={id} justify="space-between" wrap="nowrap">
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {id}
          </Text>
          <ActionIcon variant="subtle" aria-label={t("common.removeItem", { name: id })} onClick={() => choose(chosen.filter((other) => other !== id))}>
            ✕
          </ActionIcon>
        </Group>
      ))}
      <Autocomplete label={t("table.columnOf")} description={t("table.columnHint")} data={paths} limit={50} value={path} comboboxProps={{ withinPortal: false }} autoComplete="off" spellCheck={false} dropdownOpened={offers} onDropdownOpen={() => setOffers(true)} onDropdownClose={() => setOffers(false)} onChange={setPath} onOptionSubmit={add}
        onKeyDown={(event) => {
          if (event.key === "Enter" && event.currentTarget.getAttribute("aria-activedescendant") === null) add(path);
        }} />
      <Button variant="subtle" size="xs" disabled={search.columns === undefined && search.wide === undefined} onClick={() => onChange({ columns: undefined, wide: undefined })}>
        {t("table.columnsReset")}
      </Button>
    </Stack>
  );
}
