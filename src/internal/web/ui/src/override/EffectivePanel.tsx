import { Alert, Anchor, Badge, Button, Checkbox, Code, Group, Stack, Table, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { ApiError } from "../api/problem";
import { useTexts } from "../i18n/texts";
import { ChangeBadge } from "../shell/ChangeBadge";
import { ProblemAlert } from "../shell/ProblemAlert";
import { RevealNote, useReveal } from "../shell/Secrets";
import { When } from "../shell/When";
import { dots } from "../model/secrets";
import { isMapping } from "../yaml/merge";
import { Origin } from "./Origin";
import { PathName } from "./PathName";
import type { Choice, Target } from "./place";
import { effectiveQuery, isSecret, type EffectiveSet } from "./queries";
import { compareRows, rowsOf, type Compared, type Path } from "./rows";

interface Props {
  choice: Choice;
  target?: Target;
  path?: string; // of the value whose origin is shown, as a JSON pointer
  draft?: string; // what is typed and not saved
  laterWins: boolean;
  onPath: (path: string | undefined) => void;
  onChange: (path: Path, value: unknown) => void;
  onLaterWins: () => void;
}

/** What an application, or a pipeline, gets: as generated, and with all overrides that are stored, or typed instead. */
export function EffectivePanel({ target, choice, ...rest }: Props) {
  const t = useTexts();
  return target ? <Loaded choice={choice} target={target} {...rest} /> : <Text role="status">{choice.namespace === "" ? t("override.chooseNamespaceAndApplication") : t("override.chooseApplication")}</Text>;
}

function Loaded({ target, laterWins, draft, onLaterWins, ...rest }: Props & { target: Target }) {
  const t = useTexts();
  const { context, level } = rest.choice;
  const included = draft !== undefined && isMapping(draft) && !(context === "pipeline" && level === "namespace");
  const set = useQuery(effectiveQuery(target, laterWins, included ? { level, text: draft } : undefined));
  if (set.isError) {
    const overlap = set.error instanceof ApiError && set.error.problem.reason === "EFFECTIVE_SET_OVERLAP";
    return (
      <Stack align="flex-start">
        <ProblemAlert error={set.error} />
        {overlap && <Button variant="default" onClick={onLaterWins}>{t("override.laterFileWins")}</Button>}
      </Stack>
    );
  }
  if (set.isPending) return <Text role="status">{t("common.loading")}</Text>;
  const note = draft === undefined ? undefined : included ? t("override.draftIncluded") : isMapping(draft) ? t("override.draftNotUsed") : t("override.draftNotIncluded");
  return set.data ? <Shown set={set.data} note={note} {...rest} /> : <Text role="status">{t("override.noEffectiveSet")}</Text>;
}

function Shown({ set, choice, path, note, onPath, onChange }: Omit<Props, "target" | "laterWins" | "draft" | "onLaterWins"> & { set: EffectiveSet; note?: string }) {
  const t = useTexts();
  const [find, setFind] = useState("");
  const [onlyChanges, setOnlyChanges] = useState(false);
  const reveal = useReveal(false);
  const { revealed } = reveal;
  const rows = useMemo(() => compareRows(rowsOf(set.now), rowsOf(set.toBe)).map((row) => ({ ...row, secret: isSecret(set, row.pointer) })), [set]);
  const shown = rows.filter((row) => (!onlyChanges || row.change !== "same") && `${row.path.join(" ")} ${row.secret && !revealed ? "" : row.after}`.toLowerCase().includes(find.toLowerCase()));
  const chosen = rows.find((row) => row.pointer === path);
  const changes = rows.filter((row) => row.change !== "same").length;
  const whose = choice.context === "pipeline" ? `${choice.cluster}/${choice.environment}` : choice.application;
  return (
    <Stack gap="sm">
      {note && <Alert color={note === t("override.draftIncluded") ? "blue" : "yellow"} role="status">{note}</Alert>}
      <Text>
        {t("override.effectiveSetOf", { name: whose })} · {t("override.generatedAt")}{" "}
        <strong>{set.generated === "" ? t("override.unknown") : <When time={set.generated} />}</strong>
        {" · "}<span role="status">{t("override.valuesChange", { n: changes })}</span>
      </Text>
      {!revealed && rows.some(({ secret }) => secret) && <RevealNote reveal={reveal} />}
      <Group>
        <TextInput size="xs" aria-label={t("common.findParameter")} placeholder={t("common.findParameter")} value={find} onChange={(event) => setFind(event.currentTarget.value)} w={300} />
        <Checkbox size="sm" label={t("override.onlyChanges")} checked={onlyChanges} onChange={(event) => setOnlyChanges(event.currentTarget.checked)} />
      </Group>
      <Table aria-label={t("override.effectiveSet")} verticalSpacing={4} layout="fixed" stickyHeader stickyHeaderOffset={56}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="30%">{t("override.parameter")}</Table.Th>
            <Table.Th>{t("common.now")}</Table.Th>
            <Table.Th>{t("override.toBe")}</Table.Th>
            <Table.Th w={130}>{t("common.change")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{shown.map((row) => <Line key={row.pointer} row={row} hidden={row.secret && !revealed} overridden={isOverridden(set, row)} onOpen={() => onPath(row.pointer)} />)}</Table.Tbody>
      </Table>
      {chosen && <Origin choice={choice} row={chosen} hidden={chosen.secret && !revealed} chain={set.chains.get(chosen.pointer) ?? []} onChange={(value) => onChange(chosen.path, value)} onClose={() => onPath(undefined)} />}
    </Stack>
  );
}

/** Whether an override gives a value, which may be the same as before. */
function isOverridden(set: EffectiveSet, row: Compared): boolean {
  return set.chains.get(row.pointer)?.some((source) => source.won && source.override) ?? false;
}

function Line({ row, hidden, overridden, onOpen }: { row: Compared; hidden: boolean; overridden: boolean; onOpen: () => void }) {
  const t = useTexts();
  return (
    <Table.Tr data-change={row.change}>
      <Table.Td style={{ overflowWrap: "anywhere" }}><PathName path={row.path} /></Table.Td>
      <Table.Td style={{ overflowWrap: "anywhere" }}>{row.before === undefined ? "" : <Code>{hidden ? dots : row.before}</Code>}</Table.Td>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        {row.after === undefined ? "" : (
          <Anchor component="button" type="button" size="sm" ff="monospace" ta="left" title={t("common.originOf", { name: row.path.join(" › ") })} onClick={onOpen}>
            {hidden ? dots : row.after}
          </Anchor>
        )}
      </Table.Td>
      <Table.Td>
        {row.change !== "same" && <ChangeBadge change={row.change} />}
        {row.change === "same" && overridden && <Badge variant="default" tt="none">{t("override.overridden")}</Badge>}
      </Table.Td>
    </Table.Tr>
  );
}
