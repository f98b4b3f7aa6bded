import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { changeSet } from "../api/view";
import { deleteDocument, planDeletion } from "../api/documents";
import { ApiError, problemOf, type Problem } from "../api/problem";
import { StageInstead } from "../changesets/StageInstead";
import { WriteProblem } from "../changesets/StageOffer";
import { useTexts } from "../i18n/texts";
import { Blockers } from "../shell/Blockers";
import { Dialog } from "../shell/Dialog";
import { MessageField } from "../shell/MessageField";
import { ReasonButton } from "../shell/ReasonButton";
import { PlanList, mostUnconfirmed } from "./PlanList";

interface Props {
  name: string; // what people call the document
  path: string;
  etag: string;
  direct?: string; // why it can be deleted in a change set only
  onClose: () => void;
}

/** Asks the server first what stands in the way, and shows that, or what would go along. */
export function DeleteDialog({ name, path, etag, direct, onClose }: Props) {
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
  const protectedHere = direct !== undefined && where === "";
  const error = check.error ?? plan.error ?? remove.error;
  /** Goes on with the deletion in a change set, which has dependents of its own. */
  const stage = async (into: string) => {
    plan.reset();
    remove.reset();
    setWhere(into);
  };
  return (
    <Dialog title={t("common.deleteTitle", { name })} size="xl" onClose={onClose}>
      <Stack>
        {where !== "" && <Text>{t("explorer.deletionStaged", { name: where })}</Text>}
        {check.isPending && <Text role="status">{t("common.loading")}</Text>}
        {check.isSuccess && !check.data && <Text>{t("explorer.deleteFree")}</Text>}
        {check.data && !plan.data && <Blockers blockedBy={check.data.blockedBy} />}
        {plan.data && <PlanList plan={plan.data} />}
        {(plan.data || (check.isSuccess && !check.data)) && <MessageField value={message} onChange={setMessage} />}
        {plan.data && plan.data.total > mostUnconfirmed && <TextInput label={t("common.typeToDelete", { name, n: plan.data.total })} value={typed} autoComplete="off" onChange={(event) => setTyped(event.currentTarget.value)} />}
        {error && <WriteProblem error={error} onStage={stage} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common.cancel")}
          </Button>
          {where === "" && <StageInstead onStage={stage} />}
          {check.data && !plan.data && (
            <Button variant="default" loading={plan.isPending} onClick={() => plan.mutate()}>
              {t("explorer.showPlan")}
            </Button>
          )}
          {protectedHere && <ReasonButton color="red.9" reason={direct} onClick={() => undefined}>{t("common.delete")}</ReasonButton>}
          {!protectedHere && check.isSuccess && !check.data && (
            <Button color="red.9" loading={remove.isPending} onClick={() => remove.mutate(false)}>
              {t("common.delete")}
            </Button>
          )}
          {!protectedHere && plan.data && (
            <Button color="red.9" loading={remove.isPending} disabled={!confirmed} onClick={() => remove.mutate(true)}>
              {t("common.deleteAll", { n: plan.data.total })}
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
