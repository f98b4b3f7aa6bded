import { Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTexts } from "../i18n/texts";
import { Commit } from "../shell/Commit";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ReasonButton } from "../shell/ReasonButton";
import { attachedQuery, changeSetsKey, proposeChangeSet, type ChangeSet } from "./queries";
import { useFrozen } from "./rights";

/** The branch of the attached Git repository that a change set is proposed as, and the way to propose it. */
export function Proposal({ changeSet: { name, state, total, proposal } }: { changeSet: ChangeSet }) {
  const t = useTexts();
  const queries = useQueryClient();
  const frozen = useFrozen(name).update;
  const may = state === "open" && total > 0;
  const attached = useQuery({ ...attachedQuery, enabled: may && !proposal });
  const push = useMutation({ mutationFn: () => proposeChangeSet(name), onSettled: () => queries.invalidateQueries({ queryKey: changeSetsKey }) });
  if (!proposal && !(may && attached.data)) return null;
  return (
    <Stack gap="xs" component="section" aria-label={t("changesets.mergeRequest")}>
      <Text fw={600}>{t("changesets.mergeRequest")}</Text>
      {proposal ? (
        <>
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {t("changesets.branch")} <code>{proposal.branch}</code>
            {proposal.into && (
              <>
                {" → "}
                <code>{proposal.into}</code>
              </>
            )}
            {proposal.commit && (
              <>
                {" · "}
                {t("changesets.commit")} <Commit hash={proposal.commit} />
              </>
            )}
          </Text>
          {state === "open" && <Text size="sm">{proposal.differs ? t("changesets.branchDiffers", { commit: proposal.differs.slice(0, 10) }) : proposal.current ? t("changesets.branchCurrent") : t("changesets.branchOutdated")}</Text>}
        </>
      ) : (
        <Text size="sm">{t("changesets.proposeText")}</Text>
      )}
      {push.isError && <ProblemAlert error={push.error} />}
      {may && (
        <Group>
          <ReasonButton variant="default" reason={frozen} loading={push.isPending} onClick={() => push.mutate()}>
            {proposal ? t("changesets.updateBranch") : t("changesets.proposeBranch")}
          </ReasonButton>
        </Group>
      )}
    </Stack>
  );
}
