import { Alert, Badge, Button, Group, List, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { isMap } from "yaml";
import { isCommit } from "../api/commits";
import { ApiError } from "../api/problem";
import { changeSet } from "../api/view";
import { StageInstead } from "../changesets/StageInstead";
import { WriteProblem } from "../changesets/StageOffer";
import { useView } from "../changesets/view";
import { useTexts } from "../i18n/texts";
import { Commit } from "../shell/Commit";
import { Dialog } from "../shell/Dialog";
import { ReasonButton } from "../shell/ReasonButton";
import { RevealNote, Secrets, useReveal } from "../shell/Secrets";
import { syntaxMarks } from "../yaml/diagnostics";
import { YamlEditor } from "../yaml/lazy";
import { readYaml } from "../yaml/merge";
import type { Draft } from "./draft";
import { ImpactNote } from "./AffectedPanel";
import type { Below } from "./below";
import { KeptInput } from "./KeptInput";
import { PromoteButton } from "./Promote";
import { SavedNote } from "./SavedNote";
import { ParameterTable } from "./ParameterTable";
import type { Target } from "./place";
import { deleteOverride, effectiveSets, overrideQuery, saveOverride, versionIn } from "./queries";
import { useFrozen } from "./rights";
import type { Path } from "./rows";
import { masked, type SecretOf } from "./secrets";

interface Props {
  target: Target;
  draft: Draft;
  secretOf: SecretOf;
  focus?: Path;
  asYaml: boolean;
  without?: ReadonlyMap<string, Below>; // what its parameters would be
  onImpact: () => void;
  onTouched: (path: Path) => void; // the parameter that was edited last
  onView: (view: string | undefined) => void;
}

/** The parameters of one override, as a table or as text, and what can be done with them. */
export function OverridePanel({ target, draft, secretOf, focus, asYaml, without, onView, onImpact, onTouched }: Props) {
  const t = useTexts();
  const queries = useQueryClient();
  const [deleting, setDeleting] = useState(false);
  const enter = useView();
  const reload = () => queries.refetchQueries({ queryKey: overrideQuery(target).queryKey });
  const done = async (where?: string) => {
    await reload();
    draft.discard();
    draft.setComment("");
    setDeleting(false);
    queries.removeQueries({ queryKey: effectiveSets }); // what was to be must not show even for a moment
    await queries.invalidateQueries();
    if (where !== undefined) enter(where);
  };
  /** Another user saved first: the stored values are shown, and the input here is kept. */
  const clash = async (error: Error) => {
    setDeleting(false);
    if (!isClash(error)) return;
    await reload();
    draft.setAside();
  };
  const save = useMutation({ mutationFn: () => saveOverride(target, draft.text, draft.base.version, draft.comment.trim()), onSuccess: () => done(), onError: clash });
  const remove = useMutation({ mutationFn: (version: string) => deleteOverride(target, version, draft.comment.trim()), onSuccess: () => done(), onError: clash });
  const stageSave = async (where: string) => {
    await saveOverride(target, draft.text, await versionIn(where, target, draft.base), draft.comment.trim(), where);
    await done(where);
  };
  const stageDeletion = async (where: string) => {
    const there = await versionIn(where, target, draft.base);
    if (there !== undefined) await deleteOverride(target, there, draft.comment.trim(), where);
    await done(where);
  };
  const hidden = useMemo(() => masked(draft.text, secretOf), [draft.text, secretOf]);
  const reveal = useReveal(false);
  const marks = useMemo(() => marksOf(draft.text, t("override.mustBeMap")), [draft.text, t]);
  const [impactText] = useDebouncedValue(draft.text, 400);
  const { version } = draft.base;
  const frozen = useFrozen(target, version !== undefined);
  const edit = (text: string) => {
    save.reset();
    remove.reset();
    draft.setText(text);
  };
  const error = save.error ?? remove.error;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Group gap="xs">
          <Text role="status">{version === undefined ? t("override.noOverride") : t("override.overrideExists")}</Text>
          {isCommit(version) && <Text size="sm" component="div">{t("override.lastCommit")} <Commit hash={version} /></Text>}
        </Group>
        <SegmentedControl aria-label={t("common.view")} size="xs" value={asYaml ? "yaml" : "table"} onChange={(next) => onView(next === "yaml" ? next : undefined)}
          data={[{ value: "table", label: t("override.asTable") }, { value: "yaml", label: t("common.tabYaml") }]} />
      </Group>
      {error && (isClash(error) ? <Alert color="yellow" role="alert" title={t("override.somebodyElse")}>{error.message}</Alert> : <WriteProblem error={error} onStage={remove.error ? stageDeletion : stageSave} />)}
      {draft.kept && <KeptInput secretOf={secretOf} kept={draft.kept} current={draft.base.text} onTake={(text) => { save.reset(); remove.reset(); draft.takeUp(text); }} />}
      {draft.restored && (draft.restored.overtaken ? draft.kept !== undefined : draft.changed) && (
        <Text role="status" size="sm">
          {draft.restored.overtaken ? t("override.restoredOvertaken") : t("override.restored")} {draft.restored.left > 0 && t("override.secretsNotKept", { n: draft.restored.left })}
        </Text>
      )}
      {draft.overtaken && !save.isPending && !remove.isPending && (
        <Alert color="yellow" role="status" title={t("override.changedMeanwhile")}>
          <Button size="xs" variant="default" onClick={draft.setAside}>{t("override.compareWithStored")}</Button>
        </Alert>
      )}
      {asYaml || marks.length > 0 ? (
        <Secrets masked={hidden === draft.text || reveal.revealed || marks.length > 0 ? undefined : hidden} label={t("override.parameters")} reveal={reveal}>
          <YamlEditor label={t("override.parameters")} value={draft.text} onChange={edit} marks={marks} height="50vh" />
        </Secrets>
      ) : (
        <>
          {hidden !== draft.text && !reveal.revealed && <RevealNote reveal={reveal} />}
          <ParameterTable before={draft.base.text} text={draft.text} focus={focus} without={without} secretOf={reveal.revealed ? undefined : secretOf} onChange={(text, path) => { edit(text); onTouched(path); }} />
        </>
      )}
      {marks.length > 0 && <List size="sm" role="alert">{marks.map((mark) => <List.Item key={`${mark.from} ${mark.message}`}>{mark.message}</List.Item>)}</List>}
      <TextInput label={t("override.comment")} description={t("override.commentHint")} value={draft.comment} onChange={(event) => draft.setComment(event.currentTarget.value)} maw={600} />
      {draft.changed && marks.length === 0 && <ImpactNote target={target} text={impactText} onOpen={onImpact} />}
      <Group>
        <ReasonButton reason={frozen.save ?? frozen.direct} disabled={frozen.save === undefined && frozen.direct === undefined && (!draft.changed || marks.length > 0)} loading={save.isPending} onClick={() => save.mutate()}>
          {changeSet() === "" ? t("common.save") : t("common.stage")}
        </ReasonButton>
        <StageInstead disabled={frozen.save !== undefined || !draft.changed || marks.length > 0} onStage={stageSave} />
        <Button variant="default" disabled={!draft.changed} onClick={() => { draft.discard(); save.reset(); remove.reset(); void reload(); }}>
          {t("common.reset")}
        </Button>
        {version !== undefined && <ReasonButton reason={frozen.delete} variant="outline" color="red" onClick={() => setDeleting(true)}>{t("override.deleteOverride")}</ReasonButton>}
        {draft.changed && <Badge variant="outline" tt="none">{t("common.edited")}</Badge>}
        {version !== undefined && <PromoteButton target={target} draft={draft} frozen={frozen.move} onDone={done} />}
        {save.isSuccess && !draft.changed && <SavedNote target={target} saved={save.data} />}
        {remove.isSuccess && !draft.changed && <Text role="status">{t("override.overrideDeleted")}</Text>}
      </Group>
      {save.isSuccess && save.data.notices.length > 0 && <Alert color="yellow" title={t("override.notices")}><List size="sm">{save.data.notices.map((notice) => <List.Item key={notice}>{notice}</List.Item>)}</List></Alert>}
      {deleting && version !== undefined && (
        <Dialog title={t("override.deleteOverrideTitle")} onClose={() => setDeleting(false)}>
          <Text mb="md">{t("override.deleteOverrideText")}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setDeleting(false)}>{t("common.cancel")}</Button>
            <StageInstead onStage={stageDeletion} />
            <ReasonButton color="red" reason={frozen.direct} loading={remove.isPending} onClick={() => remove.mutate(version)}>{t("override.deleteOverride")}</ReasonButton>
          </Group>
        </Dialog>
      )}
    </Stack>
  );
}

/** The reasons that say that the override is not what it was when it was read: changed, created or deleted. */
const clashes = new Set(["VERSION_CONFLICT", "PARAMSET_EXISTS", "PUSH_CONFLICT", "NO_PARAMSET"]);

function isClash(error: Error): boolean {
  return error instanceof ApiError && clashes.has(error.problem.reason ?? "");
}

/** What is wrong with the text of parameters. */
function marksOf(text: string, mustBeMap: string) {
  const syntax = syntaxMarks(text);
  const { contents } = readYaml(text);
  return syntax.length > 0 || isMap(contents) ? syntax : [{ from: 0, to: text.length, message: mustBeMap }];
}
