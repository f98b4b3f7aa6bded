import { Alert, Badge, Button, Group, List, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useTexts } from "../i18n/texts";
import { Blockers } from "../shell/Blockers";
import { DocumentLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ConflictName } from "./ConflictName";
import { checkQuery, type ChangeSet, type Conflict, type Part, type Protection } from "./queries";
import { RebaseDialog } from "./RebaseDialog";
import { keyOf } from "./review";
import { Value } from "./values";
import classes from "./ChangeSets.module.css";

/** Whether a change set can be merged now: conflicts with what is stored, what its documents would break, and the approvals that it needs. */
export function Checks({ changeSet }: { changeSet: ChangeSet }) {
  const t = useTexts();
  const check = useQuery(checkQuery(changeSet.name));
  const [rebasing, setRebasing] = useState(false);
  if (check.isError && !check.data) return <ProblemAlert error={check.error} />;
  if (!check.data) return <Text role="status">{t("common.loading")}</Text>;
  const { conflicts = [], errors = [], protections = [], unreadable = 0 } = check.data;
  return (
    <Stack gap="lg">
      {unreadable > 0 && <Alert color="yellow">{t("changesets.unreadableChecked", { n: unreadable })}</Alert>}
      <Section title={t("changesets.conflicts")} passed={conflicts.length === 0} result={conflicts.length === 0 ? t("changesets.noConflicts") : t("changesets.conflictsFound", { n: conflicts.length })}>
        {conflicts.length > 0 && (
          <>
            <Conflicts conflicts={conflicts} />
            <Group>
              <Button size="xs" onClick={() => setRebasing(true)}>
                {t("changesets.resolveConflicts")}
              </Button>
            </Group>
          </>
        )}
      </Section>
      <Section title={t("changesets.integrity")} passed={errors.length === 0} result={errors.length === 0 ? t("changesets.noIntegrityErrors") : t("common.findings", { n: errors.length })}>
        {errors.length > 0 && <Errors errors={errors} />}
      </Section>
      <Section title={t("changesets.protections")} passed={protections.every(({ missing }) => missing === 0)} result={protections.length === 0 ? t("changesets.noProtections") : ""}>
        {protections.map((protection) => (
          <ProtectionRow key={JSON.stringify([protection.on, protection.by, protection.approvals])} protection={protection} />
        ))}
      </Section>
      {rebasing && <RebaseDialog changeSet={changeSet} conflicts={conflicts} onClose={() => setRebasing(false)} />}
    </Stack>
  );
}

function Section({ title, passed, result, children }: { title: string; passed: boolean; result: string; children: ReactNode }) {
  const t = useTexts();
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Group gap="xs">
        <Title order={2} size="h4">
          {title}
        </Title>
        <Badge color={passed ? "green" : "yellow"} variant="outline" tt="none" c="var(--mantine-color-text)">
          <span aria-hidden>{passed ? "✓" : "!"}</span> {passed ? t("changesets.checkPassed") : t("changesets.checkFailed")}
        </Badge>
      </Group>
      {result !== "" && <Text size="sm">{result}</Text>}
      {children}
    </Stack>
  );
}

/** The values that both the change set and others changed, in all three states. */
function Conflicts({ conflicts }: { conflicts: Conflict[] }) {
  const t = useTexts();
  return (
    <div className={classes.scroll}>
      <Table verticalSpacing={6} layout="fixed" className={classes.values} miw={640} aria-label={t("changesets.conflicts")}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="34%">{t("common.conflictValue")}</Table.Th>
            <Table.Th>{t("changesets.atBase")}</Table.Th>
            <Table.Th>{t("changesets.staged")}</Table.Th>
            <Table.Th>{t("common.now")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {conflicts.map((conflict) => (
            <Table.Tr key={keyOf(conflict)}>
              <Table.Td>
                <ConflictName conflict={conflict} />
              </Table.Td>
              <Table.Td>
                <Value value={conflict.base} />
              </Table.Td>
              <Table.Td>
                <Value value={conflict.staged} />
              </Table.Td>
              <Table.Td>
                <Value value={conflict.now} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function Errors({ errors }: { errors: Part[] }) {
  return (
    <List size="sm" spacing="xs">
      {errors.map(({ id, path, message, remedy, missing = [], blockedBy }) => (
        <List.Item key={`${id} ${path} ${message}`}>
          {id && <DocumentLink id={id} />} {path && <code>{path}</code>}
          <Text size="sm">{message}</Text>
          {missing.map((other) => (
            <div key={other}>
              <DocumentLink id={other} />
            </div>
          ))}
          {blockedBy && <Blockers blockedBy={blockedBy} />}
          {remedy && (
            <Text size="sm" fw={600}>
              {remedy}
            </Text>
          )}
        </List.Item>
      ))}
    </List>
  );
}

function ProtectionRow({ protection }: { protection: Protection }) {
  const t = useTexts();
  const { on = [], approvals, by = [], approvedBy = [], missing, message } = protection;
  return (
    <div>
      <Text size="sm">
        {on.map((id) => (
          <span key={id}>
            <code>{id}</code>{" "}
          </span>
        ))}
        {by.join(", ") === "" ? t("changesets.approvalsNeeded", { n: approvals }) : t("changesets.approvalsNeededBy", { n: approvals, by: by.join(", ") })}
        {missing > 0 && <strong> {t("changesets.approvalsMissing", { n: missing })}</strong>}
      </Text>
      {approvedBy.length > 0 && <Text size="sm">{t("changesets.approvedBy", { names: approvedBy.join(", ") })}</Text>}
      {message && (
        <Text size="sm" c="dimmed">
          {message}
        </Text>
      )}
    </div>
  );
}
