import { Alert, Badge, Button, Group, NativeSelect, SegmentedControl, Stack, Table, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { withoutStatus } from "../api/documents";
import { modelQuery } from "../api/queries";
import { inView } from "../api/view";
import { useTexts } from "../i18n/texts";
import { maskValue, type Sensitive } from "../model/secrets";
import { maskSecrets } from "../yaml/mask";
import { ChangeBadge } from "../shell/ChangeBadge";
import { PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ReasonButton } from "../shell/ReasonButton";
import { RevealNote, useReveal } from "../shell/Secrets";
import { When } from "../shell/When";
import { YamlDiff } from "../yaml/lazy";
import { diffQuery, stagedTextQuery, unstage, type Change, type ChangeSet, type Difference } from "./queries";
import { useFrozen } from "./rights";
import { Value } from "./values";
import classes from "./ChangeSets.module.css";

interface Props {
  changeSet: ChangeSet;
  asValues: boolean;
  onView: (view: string | undefined) => void;
}

/** How many documents show at first what differs. */
const openAtFirst = 10;

/** What a change set does to each document: the texts side by side, or value by value. */
export function Changes({ changeSet, asValues, onView }: Props) {
  const t = useTexts();
  const [kind, setKind] = useState("");
  const diff = useQuery(diffQuery(changeSet.name));
  if (diff.isError && !diff.data) return <ProblemAlert error={diff.error} />;
  if (!diff.data) return <Text role="status">{t("common.loading")}</Text>;
  const { operations = [], unreadable = 0 } = diff.data;
  const kinds = [...new Set(operations.map((operation) => operation.kind))].sort();
  const shown = operations.filter((operation) => kind === "" || operation.kind === kind);
  return (
    <Stack gap="sm">
      {operations.length > 0 && (
        <Group gap="sm">
          <SegmentedControl aria-label={t("common.view")} size="xs" value={asValues ? "values" : "text"} onChange={(next) => onView(next === "values" ? next : undefined)}
            data={[{ value: "text", label: t("changesets.asText") }, { value: "values", label: t("changesets.asValues") }]} />
          {kinds.length > 1 && (
            <NativeSelect aria-label={t("common.kind")} size="xs" value={kind} onChange={(event) => setKind(event.currentTarget.value)} data={[{ value: "", label: t("common.anyKind") }, ...kinds]} />
          )}
        </Group>
      )}
      {operations.length + unreadable === 0 && <Text role="status">{t("changesets.nothingStaged")}</Text>}
      {shown.map((operation, index) => (
        <Document key={operation.id} changeSet={changeSet} operation={operation} asValues={asValues} openAtFirst={index < openAtFirst} />
      ))}
      {unreadable > 0 && <Alert color="yellow">{t("changesets.unreadableStaged", { n: unreadable })}</Alert>}
    </Stack>
  );
}

const changes = { create: "created", update: "updated", delete: "deleted" } as const;

interface DocumentProps {
  changeSet: ChangeSet;
  operation: Difference;
  asValues: boolean;
  openAtFirst: boolean;
}

function Document({ changeSet, operation, asValues, openAtFirst: first }: DocumentProps) {
  const t = useTexts();
  const queries = useQueryClient();
  const [open, setOpen] = useState(first);
  const model = useQuery(modelQuery);
  const path = model.data?.itemPath(operation.id);
  const reveal = useReveal(false, path && (operation.verb === "delete" ? `${path}?at=${encodeURIComponent(changeSet.base)}` : inView(path, changeSet.name)));
  const secrets = model.data?.kindOf(operation.id)?.sensitive;
  const hidden = reveal.revealed ? undefined : secrets;
  const { id, kind, verb, by, time, files = [] } = operation;
  const frozen = useFrozen(changeSet.name).update;
  const drop = useMutation({ mutationFn: () => unstage(changeSet.name, id), onSuccess: () => queries.invalidateQueries() });
  const shown = changeSet.state === "open" ? { id, changeSet: changeSet.name } : { id };
  return (
    <section className={classes.document} aria-label={id}>
      <div className={classes.documentHead}>
        <Button variant="subtle" color="gray" c="var(--mantine-color-text)" size="compact-sm" px={6} aria-expanded={open} aria-label={t("changesets.differencesOf", { id })} onClick={() => setOpen(!open)}>
          <span aria-hidden>{open ? "▾" : "▸"}</span>
        </Button>
        <ChangeBadge change={changes[verb]} />
        <PageLink to="/explorer" search={shown} fw={600} size="sm">
          {id}
        </PageLink>
        <Text span size="xs" c="dimmed" flex={1} miw={160}>
          {kind} · {by || t("common.unknownUser")}, <When time={time} />
        </Text>
        {changeSet.state === "open" && (
          <ReasonButton variant="default" size="compact-xs" reason={frozen} loading={drop.isPending} onClick={() => drop.mutate()}>
            {t("changesets.unstage")}
          </ReasonButton>
        )}
      </div>
      {drop.isError && <ProblemAlert error={drop.error} />}
      {open && (
        <Stack gap="xs" className={classes.documentBody}>
          {files.length > 0 && (
            <Group gap={6}>
              <Text size="sm">{t("changesets.filesDiffer")}</Text>
              {files.map((file) => (
                <Badge key={file} variant="default" tt="none">
                  {file}
                </Badge>
              ))}
            </Group>
          )}
          {hidden && <RevealNote reveal={reveal} />}
          {model.isPending ? <Text role="status">{t("common.loading")}</Text> : asValues ? <Values changes={operation.changes} hidden={hidden} /> : <Texts changeSet={changeSet} operation={operation} hidden={hidden} />}
        </Stack>
      )}
    </section>
  );
}

/** The texts before and after; where one of them is no longer kept, the values that differ. */
function Texts({ changeSet, operation, hidden }: { changeSet: ChangeSet; operation: Difference; hidden?: Sensitive }) {
  const t = useTexts();
  const model = useQuery(modelQuery);
  const path = model.data?.itemPath(operation.id);
  const known = path !== undefined;
  const before = useQuery({ ...stagedTextQuery(path ?? "", { at: changeSet.base }), enabled: known && operation.verb !== "create" });
  const after = useQuery({ ...stagedTextQuery(path ?? "", { changeSet: changeSet.name, version: changeSet.version }), enabled: known && operation.verb !== "delete" });
  const texts = { before: operation.verb === "create" ? "" : before.data, after: operation.verb === "delete" ? "" : after.data };
  if (model.isError || before.isError || after.isError || (model.data && !known)) return <Values changes={operation.changes} hidden={hidden} />;
  if (texts.before === undefined || texts.after === undefined) return <Text role="status">{t("common.loading")}</Text>;
  const shown = { before: maskSecrets(written(texts.before), hidden), after: maskSecrets(written(texts.after), hidden) };
  if (shown.before === shown.after && texts.before !== texts.after) return <Text size="sm">{t("changesets.onlySecretsDiffer")}</Text>;
  return (
    <YamlDiff before={shown.before} after={shown.after} beforeLabel={operation.verb === "create" ? t("common.absent") : t("changesets.atBase")} afterLabel={operation.verb === "delete" ? t("common.absent") : t("changesets.staged")} />
  );
}

/** A text without the status, which is nothing that one stages. */
function written(text: string): string {
  return text === "" ? "" : withoutStatus(text);
}

/** What differs, value by value, with dots for what is hidden. */
export function Values({ changes: list, hidden }: { changes?: Change[]; hidden?: Sensitive }) {
  const t = useTexts();
  if (!list || list.length === 0) return <Text size="sm">{t("changesets.noValuesDiffer")}</Text>;
  return (
    <div className={classes.scroll}>
      <Table verticalSpacing={4} layout="fixed" className={classes.values} miw={480}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="30%">{t("common.conflictValue")}</Table.Th>
            <Table.Th>{t("common.beforeBoth")}</Table.Th>
            <Table.Th>{t("changesets.after")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {list.map(({ path, from, to }) => (
            <Table.Tr key={path}>
              <Table.Td>
                <code>{path === "" ? "/" : path}</code>
              </Table.Td>
              <Table.Td>
                <Value value={maskValue(path, from, hidden)} />
              </Table.Td>
              <Table.Td>
                <Value value={maskValue(path, to, hidden)} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
