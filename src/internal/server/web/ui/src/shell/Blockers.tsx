import { Text } from "@mantine/core";
import type { Problem } from "../api/problem";
import { useTexts } from "../i18n/texts";
import { DocumentLink } from "./links";

/** The documents that depend on one that is to be deleted: the first of them, and how many there are. */
export function Blockers({ blockedBy }: { blockedBy: Problem["blockedBy"] }) {
  const t = useTexts();
  const { ids = [], total = ids.length } = blockedBy ?? {};
  return (
    <>
      <Text>{t("shell.deleteBlocked", { n: total })}</Text>
      <ul style={{ margin: 0 }}>
        {ids.map((id) => (
          <li key={id}>
            <DocumentLink id={id} />
          </li>
        ))}
      </ul>
      {ids.length < total && <Text size="sm">{t("common.deleteShown", { shown: ids.length, total })}</Text>}
    </>
  );
}
