import { Alert, Badge, Button, Group, List, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { isMap } from "yaml";
import { ApiError } from "../api/problem";
import { changeSet } from "../api/view";
import { StageInstead } from "../changesets/StageInstead";
import { WriteProblem } from "../changesets/StageOffer";
import { useView } from "../changesets/view";
import { useTexts } from "../i18n/texts";
import { Dialog } from "../shell/Dialog";
import { ReasonButton } from "../shell/ReasonButton";
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

interface Props {
  target: Target;
  draft: Draft;
  focus?: Path;
  asYaml: boolean;
  without?: ReadonlyMap<string, Below>; // what its parameters would be
  onImpact: () => void;
  onView: (view: string | undefined) => void;
}

/** The parameters of one override, as a table or as text, and what can be done with them. */
export function OverridePanel({ target, draft, focus, asYaml, without, onView, onImpact }: Props) {
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
        <Text role="status">{version === undefined ? t("override.noOverride") : t("override.overrideExists")}</Text>
        <SegmentedControl aria-label={t("common.view")} size="xs" value={asYaml ? "yaml" : "table"} onChange={(next) => onView(next === "yaml" ? next : undefined)}
          data={[{ value: "table", label: t("override.asTable") }, { value: "yaml", label: t("common.tabYaml") }]} />
      </Group>
      {error && (isClash(error) ? <Alert color="yellow" role="alert" title={t("override.somebodyElse")}>{error.message}</Alert> : <WriteProblem error={error} onStage={remove.error ? stageDeletion : stageSave} />)}
      {draft.kept && <KeptInput kept={draft.kept} current={draft.base.text} onTake={(text) => { save.reset(); remove.reset(); draft.takeUp(text); }} />}
      {asYaml || marks.length > 0 ? (
        <YamlEditor label={t("override.parameters")} value={draft.text} onChange={edit} marks={marks} height="50vh" />
      ) : (
        <ParameterTable before={draft.base.text} text={draft.text} focus={focus} without={without} onChange={edit} />
      )}
      {marks.length > 0 && <List size="sm" role="alert">{marks.map((mark) => <List.Item key={`${mark.from} ${mark.message}`}>{mark.message}</List.Item>)}</List>}
      <TextInput label={t("override.comment")} description={t("override.commentHint")} value={draft.comment} onChange={(event) => draft.setComment(event.currentTarget.value)} maw={600} />
      {draft.changed && marks.length === 0 && <ImpactNote target={target} text={impactText} onOpen={onImpact} />}
      <Group>
        <ReasonButton reason={frozen.save} disabled={frozen.save === undefined && (!draft.changed || marks.length > 0)} loading={save.isPending} onClick={() => save.mutate()}>
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
            <Button color="red" loading={remove.isPending} onClick={() => remove.mutate(version)}>{t("override.deleteOverride")}</Button>
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
