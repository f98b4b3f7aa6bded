import { Alert, List, Text } from "@mantine/core";
import { problemOf, type Problem } from "../api/problem";
import { useTexts } from "../i18n/texts";
import { DocumentLink } from "./links";

/** What went wrong, what to do, and all the places that the server names. */
export function ProblemAlert({ error }: { error: unknown }) {
  const t = useTexts();
  const problem = problemOf(error);
  return (
    <Alert color="red" title={t("shell.problem")} role="alert">
      <Text size="sm">{problem.detail}</Text>
      {problem.remedy && (
        <Text size="sm" fw={600}>
          {problem.remedy}
        </Text>
      )}
      {(problem.errors?.length ?? 0) > 1 && (
        <List size="sm" mt="xs">
          {problem.errors?.map((part) => (
            <List.Item key={`${part.path} ${part.line} ${part.message}`}>
              {part.path && <code>{part.path}</code>} {part.message}
              {part.remedy && <> — {part.remedy}</>}
            </List.Item>
          ))}
        </List>
      )}
      {(problem.missing?.length ?? 0) > 0 && (
        <>
          <Text size="sm" mt="xs">
            {t("shell.missing")}:
          </Text>
          <List size="sm">
            {problem.missing?.map((id) => (
              <List.Item key={id}>
                <DocumentLink id={id} />
              </List.Item>
            ))}
          </List>
        </>
      )}
      {holds(problem) && (
        <List size="sm" mt="xs">
          {problem.blockedBy?.ids?.map((id) => (
            <List.Item key={id}>
              <DocumentLink id={id} />
            </List.Item>
          ))}
        </List>
      )}
      <Text size="xs" mt="xs">
        {t("shell.problemCode")}: <code>{problem.reason ?? problem.code}</code>
      </Text>
    </Alert>
  );
}

/** Whether another document has what was to be written. */
function holds({ reason, errors = [] }: Problem): boolean {
  return [reason, ...errors.map((part) => part.reason)].some((one) => one === "NOT_UNIQUE" || one === "TAKEN");
}
