import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changeSet } from "../api/view";
import { putDocument, readSource, type Source } from "../api/documents";
import { ApiError, isNotFound } from "../api/problem";
import { sourceQuery } from "../api/queries";
import { WriteProblem } from "../changesets/StageOffer";
import { useView } from "../changesets/view";
import { Form } from "../form/Form";
import { useTexts } from "../i18n/texts";
import type { Live } from "../live/live";
import { LiveBanner } from "../live/LiveBanner";
import { parseId } from "../model/ids";
import type { Kind, Model } from "../model/kinds";
import { ReasonButton } from "../shell/ReasonButton";
import { YamlEditor } from "../yaml/lazy";
import { CheckNote } from "./CheckNote";
import { ConflictDialog } from "./ConflictDialog";
import { useCheck } from "./check";
import type { Draft } from "./draft";
import { InlineCreate } from "./InlineCreate";
import { useReferenceHelp } from "./references";
import { ReviewDialog } from "./ReviewDialog";

export interface DraftPanelProps {
  stored: Source; // as it is now
  live: Live;
  model: Model;
  kind: Kind;
  frozen?: string; // why it cannot be changed
  direct?: string; // why it can be changed in a change set only
  path: string;
  draft: Draft;
  view: "yaml" | "form";
}

/** A write of a draft. */
interface Save {
  base: Source; // what it is based on
  text: string;
  where?: string; // the change set, where it is another one than the page works in
}

/** The draft of a stored document as text or as form, and the way to save it: review, save, and after a clash merge. */
export function DraftPanel({ stored, live, model, kind, frozen, direct, path, draft, view }: DraftPanelProps) {
  const t = useTexts();
  const queries = useQueryClient();
  const [reviewing, setReviewing] = useState(false);
  const [theirs, setTheirs] = useState<Omit<Save, "text">>();
  const [gone, setGone] = useState(false);
  const enter = useView();
  const references = useReferenceHelp(model, kind, parseId(draft.base.envelope.id) ?? []);
  const check = useCheck(path, draft.text, draft.changed, (text) => putDocument(path, text, "*", { dryRun: true }));
  const put = ({ base, text, where }: Save) => putDocument(path, text, base.envelope.etag, { message: draft.message, changeSet: where });
  const done = async (where?: string) => {
    setReviewing(false);
    setTheirs(undefined);
    live.dismiss();
    await queries.refetchQueries({ queryKey: sourceQuery(path).queryKey });
    draft.discard();
    await queries.invalidateQueries();
    if (where !== undefined) enter(where);
  };
  /** Another user saved first: what they have is shown beside the draft. */
  const clash = async (error: Error, { base, text, where }: Save) => {
    if (!(error instanceof ApiError) || error.problem.status !== 412) return;
    setReviewing(false);
    try {
      setTheirs({ base: await readSource(path, where), where });
      draft.rebase(base, text);
    } catch (reading) {
      setGone(isNotFound(reading));
    }
  };
  const save = useMutation({ mutationFn: put, onSuccess: (_, { where }) => done(where), onError: clash });
  const stage = async (where: string) => {
    const write = { base: draft.base, text: draft.text, where };
    try {
      await put(write);
    } catch (error) {
      if (error instanceof Error) await clash(error, write);
      throw error;
    }
    await done(where);
  };
  /** What the server said about another text says nothing about this one. The editor also reports a text that it was given. */
  const write = (text: string) => {
    if (text !== draft.text) save.reset();
    draft.setText(text);
  };
  const stale = save.error instanceof ApiError && save.error.problem.status === 412;
  const name = model.titleOf(draft.base.envelope.id);
  const overtaken = draft.changed && stored.envelope.etag !== draft.base.envelope.etag;
  return (
    <Stack gap="sm">
      {live.change && !save.isPending && (
        <LiveBanner change={live.change} edited={draft.changed} onMerge={overtaken && live.change.op !== "deleted" ? () => setTheirs({ base: stored }) : undefined} onClose={live.dismiss} />
      )}
      {draft.restored && draft.changed && <Text role="status" size="sm">{t("explorer.inputRestored")}</Text>}
      {view === "yaml" ? (
        <YamlEditor label={t("common.yamlOf", { name })} value={draft.text} onChange={frozen === undefined ? write : undefined} schema={kind.schema} references={references} marks={check.marks} />
      ) : (
        <InlineCreate model={model}>
          <Form text={draft.text} kind={kind} model={model} own={parseId(draft.base.envelope.id) ?? []} isNew={false} frozen={frozen} problem={check.problem} onChange={write} />
        </InlineCreate>
      )}
      <CheckNote check={check} brief={view === "form"} />
      {gone && <Text role="alert">{t("explorer.theyDeleted")}</Text>}
      {save.isError && !stale && !reviewing && <WriteProblem error={save.error} onStage={stage} />}
      <Group>
        <ReasonButton reason={frozen} disabled={frozen === undefined && !draft.changed} onClick={() => setReviewing(true)}>
          {t("explorer.review")}
        </ReasonButton>
        <Button variant="default" disabled={!draft.changed} onClick={draft.discard}>
          {t("explorer.discard")}
        </Button>
        {draft.changed && <Badge variant="outline" tt="none">{t("common.edited")}</Badge>}
        {save.isSuccess && !draft.changed && <Text role="status">{changeSet() === "" ? t("common.saved") : t("common.savedStaged")}</Text>}
      </Group>
      {reviewing && (
        <ReviewDialog direct={direct} before={draft.base.yaml} after={draft.text} message={draft.message} saving={save.isPending} error={stale ? null : save.error}
          onMessage={draft.setMessage} onStage={stage} onSave={() => save.mutate({ base: draft.base, text: draft.text })} onClose={() => setReviewing(false)} />
      )}
      {theirs && (
        <ConflictDialog direct={theirs.where === undefined ? direct : undefined} base={draft.base} yours={draft.text} theirs={theirs.base} saving={save.isPending} error={stale ? null : save.error}
          onSave={(text) => save.mutate({ ...theirs, text })} onStage={(text, where) => save.mutateAsync({ ...theirs, text, where })} onClose={() => setTheirs(undefined)} />
      )}
    </Stack>
  );
}
