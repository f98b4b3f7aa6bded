import { Alert, List, Stack, Text } from "@mantine/core";
import { problemOf, type Problem } from "../api/problem";
import { WriteProblem } from "../changesets/StageOffer";
import { useTexts } from "../i18n/texts";
import { Blockers } from "../shell/Blockers";
import { DocumentLink } from "../shell/links";

/** The reason of what was changed since the transaction that is to be reverted. */
const changedSince = "CHANGED_SINCE";

interface Props {
  error: unknown;
  onStage?: (changeSet: string) => Promise<unknown>; // does in a change set what a protection refused
}

/** Why something cannot be undone: what was changed since, what depends on it, or what else is wrong. */
export function Refusal({ error, onStage }: Props) {
  const problem = problemOf(error);
  if (problem.reason === changedSince) return <ChangedSince problem={problem} />;
  const blocked = (problem.errors ?? []).flatMap((part) => (part.blockedBy ? [{ id: part.id, by: part.blockedBy }] : []));
  if (blocked.length === 0 && problem.blockedBy) blocked.push({ id: problem.id, by: problem.blockedBy });
  return (
    <Stack gap="xs">
      <WriteProblem error={error} onStage={onStage} />
      {blocked.map(({ id, by }) => (
        <div key={id}>
          {id && <DocumentLink id={id} />}
          <Blockers blockedBy={by} />
        </div>
      ))}
    </Stack>
  );
}

function ChangedSince({ problem }: { problem: Problem }) {
  const t = useTexts();
  const { errors = [], remedy, total } = problem;
  return (
    <Alert color="yellow" title={t("history.changedSince")} role="alert">
      <List size="sm">
        {errors.map(({ id, path, message }) => (
          <List.Item key={`${id} ${path}`}>
            {id && <DocumentLink id={id} />} {path && <code>{path}</code>}
            <Text size="sm">{message}</Text>
          </List.Item>
        ))}
      </List>
      {total !== undefined && <Text size="sm">{t("common.deleteShown", { shown: errors.length, total })}</Text>}
      {remedy && (
        <Text size="sm" fw={600} mt="xs">
          {remedy}
        </Text>
      )}
    </Alert>
  );
}
