import { Button, Code, Table } from "@mantine/core";
import { useTexts } from "../i18n/texts";
import { dots } from "../model/secrets";
import { WideTable } from "../shell/WideTable";
import type { Conflict } from "../yaml/merge";

interface Props {
  conflicts: Conflict[];
  hides?: (path: string[]) => boolean; // whether a value is secret
  onTake: (path: string[], value: unknown) => void;
}

/** The values that both changed, each to be taken from one of them. */
export function Conflicts({ conflicts, hides, onTake }: Props) {
  const t = useTexts();
  const show = (path: string[], value: unknown) => (value === undefined ? t("common.absent") : hides?.(path) ? dots : JSON.stringify(value, (_, v: unknown) => (typeof v === "bigint" ? v.toString() : v)));
  return (
    <WideTable>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("common.conflictValue")}</Table.Th>
          <Table.Th>{t("common.beforeBoth")}</Table.Th>
          <Table.Th>{t("explorer.theirs")}</Table.Th>
          <Table.Th>{t("explorer.yours")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {conflicts.map(({ path, before, yours, theirs }) => (
          <Table.Tr key={path.join("/")}>
            <Table.Td>
              <Code>{path.join(".")}</Code>
            </Table.Td>
            <Table.Td>{show(path, before)}</Table.Td>
            <Table.Td>
              {show(path, theirs)}{" "}
              <Button size="compact-xs" variant="default" onClick={() => onTake(path, theirs)}>
                {t("explorer.takeTheirs")}
              </Button>
            </Table.Td>
            <Table.Td>
              {show(path, yours)}{" "}
              <Button size="compact-xs" variant="default" onClick={() => onTake(path, yours)}>
                {t("explorer.takeYours")}
              </Button>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
