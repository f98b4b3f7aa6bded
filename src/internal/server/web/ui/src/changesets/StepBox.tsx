import { Button, Group, List, Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTexts, type Texts } from "../i18n/texts";
import { ButtonLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ReasonButton } from "../shell/ReasonButton";
import { When } from "../shell/When";
import { MergeDialog } from "./MergeDialog";
import { Proposal } from "./Proposal";
import { checkQuery, type ChangeSet, type Check } from "./queries";
import { RebaseDialog } from "./RebaseDialog";
import { decisionsOf, missingOf, nextStep } from "./review";
import { useFrozen } from "./rights";
import { useView } from "./view";
import classes from "./ChangeSets.module.css";

interface Props {
  changeSet: ChangeSet;
  onShow: (tab: string) => void;
}

/** What the next step with a change set is, and the way to take it. */
export function StepBox({ changeSet, onShow }: Props) {
  const t = useTexts();
  const enter = useView();
  const [dialog, setDialog] = useState<"merge" | "rebase">();
  const { name, state } = changeSet;
  const empty = changeSet.total === 0;
  const check = useQuery({ ...checkQuery(name), enabled: state === "open" && !empty });
  const frozen = useFrozen(name).update;
  const unrebased = frozen ?? ((check.data?.unreadable ?? 0) > 0 ? t("changesets.mayNotRebase") : undefined);
  const step = nextStep(changeSet, check.data);
  const conflicts = check.data?.conflicts ?? [];
  const close = () => setDialog(undefined);
  return (
    <Paper withBorder p="md" component="section" aria-label={t("changesets.nextStep")} className={classes.step} data-step={step}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {t("changesets.nextStep")}
        </Title>
        {check.isError && step === "checking" ? <ProblemAlert error={check.error} /> : <Text role="status">{sentence(t, step, check.data)}</Text>}
        <End changeSet={changeSet} />
        <Decisions changeSet={changeSet} />
        <Proposal changeSet={changeSet} />
        <Group gap="xs">
          {step === "stage" && <ButtonLink to="/explorer" search={{ changeSet: name }}>{t("changesets.workInChangeSet")}</ButtonLink>}
          {step === "rebase" && <ReasonButton reason={unrebased} onClick={() => setDialog("rebase")}>{t("changesets.resolveConflicts")}</ReasonButton>}
          {(step === "rebase" || step === "correct" || step === "rejected" || step === "approve" || step === "blocked") && <Button variant="default" onClick={() => onShow("checks")}>{t("changesets.showChecks")}</Button>}
          {state === "open" && !empty && <ReasonButton color="teal.9" reason={frozen} disabled={frozen === undefined && step !== "merge"} onClick={() => setDialog("merge")}>{t("changesets.merge")}</ReasonButton>}
          {state === "open" && !empty && step !== "rebase" && check.data && <ReasonButton variant="default" reason={unrebased} onClick={() => setDialog("rebase")}>{t("changesets.rebase")}</ReasonButton>}
        </Group>
      </Stack>
      {dialog === "rebase" && <RebaseDialog changeSet={changeSet} conflicts={conflicts} onClose={close} />}
      {dialog === "merge" && <MergeDialog changeSet={changeSet} onClose={close} onDone={() => enter(undefined)} />}
    </Paper>
  );
}

function sentence(t: Texts, step: ReturnType<typeof nextStep>, check: Check | undefined): string {
  switch (step) {
    case "merged":
      return t("changesets.stepMerged");
    case "closed":
      return t("changesets.stepClosed");
    case "stage":
      return t("changesets.stepStage");
    case "checking":
      return t("common.checking");
    case "rebase":
      return t("changesets.stepRebase", { n: check?.conflicts?.length ?? 0 });
    case "unreadable":
      return t("changesets.unreadableChecked", { n: check?.unreadable ?? 0 });
    case "correct":
      return t("changesets.stepCorrect", { n: check?.errors?.length ?? 0 });
    case "rejected":
      return t("changesets.stepRejected", { names: (check?.rejectedBy ?? []).join(", ") });
    case "approve":
      return t("changesets.stepApprove", { n: check ? missingOf(check) : 0 });
    case "merge":
      return t("changesets.stepMerge");
    default:
      return t("changesets.stepBlocked");
  }
}

/** When a change set ended, and who ended it. */
function End({ changeSet: { merged, closed, state } }: { changeSet: ChangeSet }) {
  const t = useTexts();
  const end = state === "merged" ? merged : state === "closed" ? closed : undefined;
  if (!end) return null;
  return (
    <Text size="sm" c="dimmed">
      {end.by || t("common.unknownUser")}, <When time={end.time} />
      {merged && state === "merged" && (
        <>
          {" · "}
          {t("changesets.position")} <code>{merged.position}</code>
          {merged.commit && (
            <>
              {" · "}
              {t("changesets.commit")} <code title={merged.commit}>{merged.commit.slice(0, 10)}</code>
            </>
          )}
        </>
      )}
    </Text>
  );
}

/** What the reviewers decided about what is staged now. */
function Decisions({ changeSet }: { changeSet: ChangeSet }) {
  const t = useTexts();
  const decisions = decisionsOf(changeSet.reviews);
  if (decisions.length === 0) return null;
  return (
    <List size="sm" listStyleType="none">
      {decisions.map(({ by, decision, time }) => (
        <List.Item key={`${by} ${time}`}>
          <span aria-hidden>{decision === "approve" ? "✓" : "✕"}</span> {by || t("common.unknownUser")}: {decision === "approve" ? t("changesets.approved") : t("changesets.rejected")}
        </List.Item>
      ))}
    </List>
  );
}
