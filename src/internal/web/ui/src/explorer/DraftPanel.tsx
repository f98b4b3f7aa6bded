import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { putDocument, readSource, type Source } from "../api/documents";
import { ApiError, isNotFound } from "../api/problem";
import { sourceQuery } from "../api/queries";
import { useTexts } from "../i18n/texts";
import { nameOf } from "../model/ids";
import type { Kind } from "../model/kinds";
import { ProblemAlert } from "../shell/ProblemAlert";
import { YamlEditor } from "../yaml/lazy";
import { CheckNote } from "./CheckNote";
import { ConflictDialog } from "./ConflictDialog";
import { useCheck, type Draft } from "./draft";
import { Form } from "./Form";
import { ReviewDialog } from "./ReviewDialog";

interface Props {
  kind: Kind;
  path: string;
  draft: Draft;
  view: "yaml" | "form";
}

/** The draft of a stored document as text or as form, and the way to save it: review, save, and after a clash merge. */
export function DraftPanel({ kind, path, draft, view }: Props) {
  const t = useTexts();
  const queries = useQueryClient();
  const [reviewing, setReviewing] = useState(false);
  const [theirs, setTheirs] = useState<Source>();
  const [message, setMessage] = useState("");
  const [gone, setGone] = useState(false);
  const check = useCheck(path, draft.text, draft.changed, (text) => putDocument(path, text, "*", true));
  const save = useMutation({
    mutationFn: (write: { base: Source; text: string }) => putDocument(path, write.text, write.base.envelope.etag, false, message),
    onSuccess: async () => {
      setReviewing(false);
      setTheirs(undefined);
      setMessage("");
      await queries.refetchQueries({ queryKey: sourceQuery(path).queryKey });
      draft.discard();
      await queries.invalidateQueries();
    },
    onError: async (error, write) => {
      if (!(error instanceof ApiError) || error.problem.status !== 412) return;
      setReviewing(false);
      try {
        setTheirs(await readSource(path));
        draft.rebase(write.base, write.text);
      } catch (reading) {
        setGone(isNotFound(reading));
      }
    },
  });
  const stale = save.error instanceof ApiError && save.error.problem.status === 412;
  const name = nameOf(draft.base.envelope.id);
  return (
    <Stack gap="sm">
      {view === "yaml" ? (
        <YamlEditor label={t.yamlOf(name)} value={draft.text} onChange={draft.setText} schema={kind.schema} marks={check.marks} />
      ) : (
        <Form text={draft.text} schema={kind.schema} onChange={draft.setText} />
      )}
      <CheckNote check={check} />
      {gone && <Text role="alert">{t.theyDeleted}</Text>}
      {save.isError && !stale && <ProblemAlert error={save.error} />}
      <Group>
        <Button disabled={!draft.changed} onClick={() => setReviewing(true)}>
          {t.review}
        </Button>
        <Button variant="default" disabled={!draft.changed} onClick={draft.discard}>
          {t.discard}
        </Button>
        {draft.changed && <Badge variant="outline" tt="none">{t.edited}</Badge>}
        {save.isSuccess && !draft.changed && <Text role="status">{t.saved}</Text>}
      </Group>
      {reviewing && (
        <ReviewDialog before={draft.base.yaml} after={draft.text} message={message} saving={save.isPending} error={stale ? null : save.error}
          onMessage={setMessage} onSave={() => save.mutate({ base: draft.base, text: draft.text })} onClose={() => setReviewing(false)} />
      )}
      {theirs && (
        <ConflictDialog base={draft.base} yours={draft.text} theirs={theirs} saving={save.isPending} error={stale ? null : save.error}
          onSave={(text) => save.mutate({ base: theirs, text })} onClose={() => setTheirs(undefined)} />
      )}
    </Stack>
  );
}
