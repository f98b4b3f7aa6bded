import { Button, Group, ScrollArea, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { changeSet } from "../api/view";
import { deleteDocument, planDeletion, type Plan } from "../api/documents";
import { ApiError, problemOf, type Problem } from "../api/problem";
import { WriteProblem } from "../changesets/StageOffer";
import { useTexts } from "../i18n/texts";
import { nameOf } from "../model/ids";
import { Blockers } from "../shell/Blockers";
import { Dialog } from "../shell/Dialog";
import { MessageField } from "../shell/MessageField";

interface Props {
  id: string;
  path: string;
  etag: string;
  onClose: () => void;
}

/** Asks the server first what stands in the way, and shows that, or what would go along. */
export function DeleteDialog({ id, path, etag, onClose }: Props) {
  const t = useTexts();
  const router = useRouter();
  const queries = useQueryClient();
  const [message, setMessage] = useState("");
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
  const error = check.error ?? plan.error ?? remove.error;
  /** Goes on with the deletion in a change set, which has dependents of its own. */
  const stage = async (name: string) => {
    plan.reset();
    remove.reset();
    setWhere(name);
  };
  return (
    <Dialog title={t.deleteTitle(nameOf(id))} size="xl" onClose={onClose}>
      <Stack>
        {where !== "" && <Text>{t.deletionStaged(where)}</Text>}
        {check.isPending && <Text role="status">{t.loading}</Text>}
        {check.isSuccess && !check.data && <Text>{t.deleteFree}</Text>}
        {check.data && !plan.data && <Blockers blockedBy={check.data.blockedBy} />}
        {plan.data && <PlanList plan={plan.data} />}
        {(plan.data || (check.isSuccess && !check.data)) && <MessageField value={message} onChange={setMessage} />}
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
            <Button color="red.9" loading={remove.isPending} onClick={() => remove.mutate(true)}>
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

/** How many rows of a plan are drawn. */
const mostRows = 200;

function PlanList({ plan }: { plan: Plan }) {
  const t = useTexts();
  return (
    <>
      <Text fw={600}>{t.planText(plan.total)}</Text>
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
