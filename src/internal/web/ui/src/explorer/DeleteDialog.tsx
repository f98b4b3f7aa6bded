import { Button, Group, ScrollArea, Stack, Table, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { changeSet } from "../api/view";
import { deleteDocument, planDeletion, type Plan } from "../api/documents";
import { ApiError, problemOf, type Problem } from "../api/problem";
import { WriteProblem } from "../changesets/StageOffer";
import { useTexts } from "../i18n/texts";
import { Blockers } from "../shell/Blockers";
import { Dialog } from "../shell/Dialog";
import { MessageField } from "../shell/MessageField";

interface Props {
  name: string; // what people call the document
  path: string;
  etag: string;
  onClose: () => void;
}

/** Asks the server first what stands in the way, and shows that, or what would go along. */
export function DeleteDialog({ name, path, etag, onClose }: Props) {
  const t = useTexts();
  const router = useRouter();
  const queries = useQueryClient();
  const [message, setMessage] = useState("");
  const [typed, setTyped] = useState("");
  const [where, setWhere] = useState(changeSet());
  const check = useQuery({
    queryKey: ["deletion", path, etag, where],
    queryFn: () => blockersOf(path, etag, where),
    staleTime: 0,
    gcTime: 0,
  });
  const plan = useMutation({ mutationFn: () => planDeletion(path, where) });
  const remove = useMutation({
    mutationFn: (cascade: boolean) => deleteDocument(path, etag, cascade, { message, changeSet: where }),
    onSuccess: async () => {
      onClose();
      await router.navigate({ to: "/explorer", search: (before: object) => ({ ...before, id: undefined, tab: undefined, at: undefined, before: undefined, changeSet: where === "" ? undefined : where }) });
      queries.removeQueries({ queryKey: ["document"] });
      await queries.invalidateQueries();
    },
  });
  const confirmed = plan.data !== undefined && (plan.data.total <= mostUnconfirmed || typed.trim() === name);
  const error = check.error ?? plan.error ?? remove.error;
  /** Goes on with the deletion in a change set, which has dependents of its own. */
  const stage = async (into: string) => {
    plan.reset();
    remove.reset();
    setWhere(into);
  };
  return (
    <Dialog title={t.deleteTitle(name)} size="xl" onClose={onClose}>
      <Stack>
        {where !== "" && <Text>{t.deletionStaged(where)}</Text>}
        {check.isPending && <Text role="status">{t.loading}</Text>}
        {check.isSuccess && !check.data && <Text>{t.deleteFree}</Text>}
        {check.data && !plan.data && <Blockers blockedBy={check.data.blockedBy} />}
        {plan.data && <PlanList plan={plan.data} />}
        {(plan.data || (check.isSuccess && !check.data)) && <MessageField value={message} onChange={setMessage} />}
        {plan.data && plan.data.total > mostUnconfirmed && <TextInput label={t.typeToDelete(name, plan.data.total)} value={typed} autoComplete="off" onChange={(event) => setTyped(event.currentTarget.value)} />}
        {error && <WriteProblem error={error} onStage={stage} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t.cancel}
          </Button>
          {check.data && !plan.data && (
            <Button variant="default" loading={plan.isPending} onClick={() => plan.mutate()}>
              {t.showPlan}
            </Button>
          )}
          {check.isSuccess && !check.data && (
            <Button color="red.9" loading={remove.isPending} onClick={() => remove.mutate(false)}>
              {t.delete}
            </Button>
          )}
          {plan.data && (
            <Button color="red.9" loading={remove.isPending} disabled={!confirmed} onClick={() => remove.mutate(true)}>
              {t.deleteAll(plan.data.total)}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}

/** The refusal of a deletion because others hold the document; null when it could be deleted. */
async function blockersOf(path: string, etag: string, where: string): Promise<Problem | null> {
  try {
    await deleteDocument(path, etag, false, { dryRun: true, changeSet: where });
    return null;
  } catch (error) {
    if (error instanceof ApiError && problemOf(error).blockedBy) return problemOf(error);
    throw error;
  }
}

/** How many documents are deleted together without the name being typed. */
const mostUnconfirmed = 100;

/** How many rows of a plan are drawn. */
const mostRows = 200;

function PlanList({ plan }: { plan: Plan }) {
  const t = useTexts();
  return (
    <>
      <Text fw={600}>{t.planText(plan.total)}</Text>
      <KindCounts plan={plan} />
      <ScrollArea.Autosize mah={320} offsetScrollbars viewportProps={{ tabIndex: 0 }}>
        <ul style={{ margin: 0, paddingLeft: 18, fontSize: "var(--mantine-font-size-sm)" }}>
          {plan.deleted.slice(0, mostRows).map(({ id, because }) => (
            <li key={id} style={{ overflowWrap: "anywhere" }}>
              {id}
              {because && (
                <Text span size="sm" c="dimmed">
                  {" "}
                  — {because.relation === "descendant" ? t.relationDescendant(because.of) : t.relationReferrer(because.of)}
                </Text>
              )}
            </li>
          ))}
        </ul>
      </ScrollArea.Autosize>
      {plan.total > mostRows && <Text size="sm">{t.deleteShown(mostRows, plan.total)}</Text>}
    </>
  );
}

/** How many documents of each kind would go, most first. */
function KindCounts({ plan }: { plan: Plan }) {
  const t = useTexts();
  const counts = new Map<string, number>();
  for (const { kind } of plan.deleted) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return (
    <Table w="auto" verticalSpacing={2} aria-label={t.countsByKind}>
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
