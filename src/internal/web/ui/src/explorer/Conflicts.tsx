import { Button, Code, Table } from "@mantine/core";
import { useTexts } from "../i18n/texts";
import { WideTable } from "../shell/WideTable";
import type { Conflict } from "../yaml/merge";

interface Props {
  conflicts: Conflict[];
  onTake: (path: string[], value: unknown) => void;
}

/** The values that both changed, each to be taken from one of them. */
export function Conflicts({ conflicts, onTake }: Props) {
  const t = useTexts();
  const show = (value: unknown) => (value === undefined ? t("common.absent") : JSON.stringify(value, (_, v: unknown) => (typeof v === "bigint" ? v.toString() : v)));
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
            <Table.Td>{show(before)}</Table.Td>
            <Table.Td>
              {show(theirs)}{" "}
              <Button size="compact-xs" variant="default" onClick={() => onTake(path, theirs)}>
                {t("explorer.takeTheirs")}
              </Button>
            </Table.Td>
            <Table.Td>
              {show(yours)}{" "}
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
