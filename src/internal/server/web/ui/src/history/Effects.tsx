import { Alert, List, ScrollArea, Text } from "@mantine/core";
import { useTexts } from "../i18n/texts";
import { DocumentLink } from "../shell/links";
import type { Results } from "./queries";

/** How many documents are listed. */
const mostRows = 200;

interface Written {
  results: Pick<Results["results"][number], "id" | "effect" | "warnings">[];
  unreadable?: boolean;
}

/** What a write would do to each document. */
export function Effects({ written }: { written: Written }) {
  const t = useTexts();
  const { results, unreadable } = written;
  const effects = { created: t("common.effectCreated"), updated: t("common.effectUpdated"), unchanged: t("common.effectUnchanged"), deleted: t("history.effectDeleted") };
  if (results.every(({ effect }) => effect === "unchanged")) return <Text role="status">{t("common.unchanged")}</Text>;
  return (
    <>
      <ScrollArea.Autosize mah={320} offsetScrollbars viewportProps={{ tabIndex: 0, "aria-label": t("common.previewTitle"), role: "region" }}>
        <List size="sm">
          {results.slice(0, mostRows).map(({ id, effect, warnings = [] }) => (
            <List.Item key={`${id} ${effect}`}>
              <DocumentLink id={id} /> {effects[effect]}
              {warnings.map((warning) => (
                <Text key={warning} size="sm" c="dimmed">
                  {warning}
                </Text>
              ))}
            </List.Item>
          ))}
        </List>
      </ScrollArea.Autosize>
      {results.length > mostRows && <Text size="sm">{t("common.deleteShown", { shown: mostRows, total: results.length })}</Text>}
      {unreadable && <Alert color="yellow">{t("history.unreadableDeleted")}</Alert>}
    </>
  );
}
