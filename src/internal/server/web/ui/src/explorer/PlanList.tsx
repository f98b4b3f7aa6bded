import { ScrollArea, Table, Text } from "@mantine/core";
import type { Plan } from "../api/documents";
import { useTexts } from "../i18n/texts";

/** How many documents are deleted together without the name being typed. */
export const mostUnconfirmed = 100;

/** How many rows of a plan are drawn. */
const mostRows = 200;

/** What would be deleted, by kind and one by one, each with why. */
export function PlanList({ plan }: { plan: Plan }) {
  const t = useTexts();
  return (
    <>
      <Text fw={600}>{t("explorer.planText", { n: plan.total })}</Text>
      <KindCounts plan={plan} />
      <ScrollArea.Autosize mah={320} offsetScrollbars viewportProps={{ tabIndex: 0 }}>
        <ul style={{ margin: 0, paddingLeft: 18, fontSize: "var(--mantine-font-size-sm)" }}>
          {plan.deleted.slice(0, mostRows).map(({ id, because }) => (
            <li key={id} style={{ overflowWrap: "anywhere" }}>
              {id}
              {because && (
                <Text span size="sm" c="dimmed">
                  {" "}
                  — {because.relation === "descendant" ? t("explorer.relationDescendant", { id: because.of }) : t("explorer.relationReferrer", { id: because.of })}
                </Text>
              )}
            </li>
          ))}
        </ul>
      </ScrollArea.Autosize>
      {plan.total > mostRows && <Text size="sm">{t("common.deleteShown", { shown: mostRows, total: plan.total })}</Text>}
    </>
  );
}

/** How many documents of each kind would go, most first. */
function KindCounts({ plan }: { plan: Plan }) {
  const t = useTexts();
  const counts = new Map<string, number>();
  for (const { kind } of plan.deleted) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return (
    <Table w="auto" verticalSpacing={2} aria-label={t("explorer.countsByKind")}>
      <Table.Tbody>
        {[...counts].sort(([, a], [, b]) => b - a).map(([kind, count]) => (
          <Table.Tr key={kind}>
            <Table.Td>{kind}</Table.Td>
            <Table.Td ta="right">{count}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
