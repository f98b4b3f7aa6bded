import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { postAction } from "../api/lifecycle";
import { ApiError } from "../api/problem";
import { Form } from "../form/Form";
import { useTexts } from "../i18n/texts";
import { parseId } from "../model/ids";
import type { Model } from "../model/kinds";
import { nextState, type LifecycleAction } from "../model/lifecycle";
import { stepsOf } from "../model/paths";
import { Dialog } from "../shell/Dialog";
import { MessageField } from "../shell/MessageField";
import { ProblemAlert } from "../shell/ProblemAlert";
import { YamlEditor } from "../yaml/lazy";
import { syntaxMarks } from "../yaml/diagnostics";
import { writeYaml, readYaml } from "../yaml/merge";
import { LifecycleBadge } from "./LifecycleBadge";

interface Props {
  model: Model;
  id: string;
  path: string;
  action: LifecycleAction;
  state: string;
  onClose: () => void;
}

/** Asks before an action is done. One that refers to documents is given its body here. */
export function ActionDialog({ model, id, path, action, state, onClose }: Props) {
  const t = useTexts();
  const queries = useQueryClient();
  const hasBody = (action.references ?? []).length > 0;
  const [body, setBody] = useState(() => (hasBody ? starterOf(action) : ""));
  const [message, setMessage] = useState("");
  const [from] = useState(state); // it changes below the dialog
  const run = useMutation({
    mutationFn: () => postAction(path, action.action, body, message),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries();
    },
    onError: () => queries.invalidateQueries({ queryKey: ["document", path] }),
  });
  const write = (text: string) => {
    setBody(text);
    run.reset();
  };
  const now = run.error instanceof ApiError ? run.error.problem.state : undefined;
  const next = nextState(action, from);
  const marks = hasBody ? syntaxMarks(body) : [];
  return (
    <Dialog title={t("explorer.actionTitle", { action: action.action, name: model.titleOf(id) })} size="lg" onClose={onClose}>
      <Stack>
        <Group gap="xs">
          <LifecycleBadge state={from} />
          {next !== from && (
            <>
              <span aria-hidden>→</span>
              <LifecycleBadge state={next} />
            </>
          )}
        </Group>
        {hasBody && (
          <>
            {action.references?.map(({ sentence }) => <Text key={sentence} size="sm" c="dimmed">{t("explorer.refersTo")}: {sentence}</Text>)}
            <Form text={body} kind={action} model={model} own={parseId(id) ?? []} isNew problem={run.error instanceof ApiError ? run.error.problem : undefined} onChange={write} />
            <YamlEditor label={t("explorer.actionBody")} value={body} onChange={write} marks={marks} height="20vh" />
          </>
        )}
        <MessageField value={message} onChange={setMessage} />
        {now !== undefined && (
          <Group gap="xs" role="status">
            <Text>{t("explorer.stateNow")}</Text>
            <LifecycleBadge state={now} />
          </Group>
        )}
        {run.error && <ProblemAlert error={run.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common.cancel")}
          </Button>
          <Button loading={run.isPending} disabled={marks.length > 0 || now !== undefined} onClick={() => run.mutate()}>
            {action.action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** A body with the members in which the slots of the action are. */
function starterOf({ references = [] }: LifecycleAction): string {
  const document = readYaml("{}");
  for (const { at } of references) {
    const steps = stepsOf(at ?? "spec").map(({ name }) => name);
    if (!steps.includes("")) document.setIn(steps, document.createNode({}));
  }
  return writeYaml(document);
}
