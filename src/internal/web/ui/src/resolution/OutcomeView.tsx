import { Alert, Button, Code, Group, List, Stack, Table, Text, Title } from "@mantine/core";
import { Suspense, lazy, useMemo } from "react";
import { useTexts } from "../i18n/texts";
import { formatId } from "../model/ids";
import { PageLink } from "../shell/links";
import { clashPicture, constraintPrefix, lineOf } from "./clash";
import type { Constraint, Outcome, Selected, Unsat } from "./queries";

const Picture = lazy(() => import("../graph/Picture"));

interface Props {
  outcome: Outcome;
  constraints: Constraint[];
  onTry: (without: number[]) => void;
}

/** What came of constraints: what is selected and why, or what clashes. */
export function OutcomeView({ outcome, constraints, onTry }: Props) {
  const t = useTexts();
  const { unsat, explanation = [], selections = [], timedOut } = outcome;
  const all = explanation.length > 0 ? explanation : selections.map((selection): Selected => ({ selection, why: { constraint: -1, need: "" } }));
  return (
    <Stack gap="sm">
      {timedOut && <Alert color="yellow" role="alert" title={t.timedOut}>{outcome.message}</Alert>}
      {unsat && <Clash unsat={unsat} constraints={constraints} onTry={onTry} />}
      {all.length > 0 && <Selections all={all} constraints={constraints} old={unsat !== undefined} />}
      {!unsat && !timedOut && all.length === 0 && <Text role="status">{t.nothingSelected}</Text>}
    </Stack>
  );
}

/** Selected versions, each with what it is there for and what ruled out what would have been preferred. */
function Selections({ all, constraints, old }: { all: Selected[]; constraints: Constraint[]; old: boolean }) {
  const t = useTexts();
  return (
    <section aria-label={t.selections}>
      <Title order={3} size="h4">{old ? t.oldSelections : t.selections}</Title>
      <Table verticalSpacing={4} style={{ overflowWrap: "anywhere" }}>
        <Table.Thead>
          <Table.Tr><Table.Th>{t.selection}</Table.Th><Table.Th>{t.why}</Table.Th></Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {all.map(({ selection, why, ruledOut = [], moreRuledOut = 0 }) => (
            <Table.Tr key={selection}>
              <Table.Td style={{ verticalAlign: "top" }}><SelectionLink selection={selection} /></Table.Td>
              <Table.Td>
                {why.constraint >= 0 ? <>{t.forConstraint(why.constraint)} <Code>{lineOf(constraints[why.constraint])}</Code></> : why.by && t.forDependency(why.by, why.need)}
                {ruledOut.length > 0 && (
                  <List size="sm" aria-label={t.ruledOut}>
                    {ruledOut.map(({ candidate, text }) => <List.Item key={candidate}>{t.not} <code>{candidate}</code>: {text}</List.Item>)}
                    {moreRuledOut > 0 && <List.Item>{t.andMore(moreRuledOut)}</List.Item>}
                  </List>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

/** A selection with the way to its document. */
function SelectionLink({ selection }: { selection: string }) {
  const [source = "", name = "", version = ""] = selection.split(":");
  const id = formatId([{ name: "source", value: source }, { name: "package", value: name }, { name: "packageVersion", value: version }]);
  return <PageLink to="/explorer" search={{ id }}><code>{selection}</code></PageLink>;
}

interface ClashProps {
  unsat: Unsat;
  constraints: Constraint[];
  onTry: (without: number[]) => void;
}

/** The few constraints and packages that meet, in a picture and in words, and the ways out. */
function Clash({ unsat, constraints, onTry }: ClashProps) {
  const t = useTexts();
  const { nodes, edges } = useMemo(() => clashPicture(unsat, constraints), [unsat, constraints]);
  const stages: Record<string, string> = { package: t.stagePackage, source: t.stageSource, channel: t.stageChannel, provides: t.stageProvides, version: t.stageVersion, prerelease: t.stagePrerelease };
  return (
    <Stack gap="sm" component="section" aria-label={t.clash}>
      <Title order={3} size="h4">{t.clash}</Title>
      <List size="sm" aria-label={t.clashInWords}>
        {unsat.core.map((index) => <List.Item key={`core ${index}`}>[{index}] <Code>{lineOf(constraints[index])}</Code></List.Item>)}
        {unsat.noMatch.map(({ constraint, stage }) => <List.Item key={`none ${constraint} ${stage}`}>[{constraint}] {stages[stage] ?? stage}</List.Item>)}
        {unsat.facts.map(({ text }) => <List.Item key={text}>{text}</List.Item>)}
      </List>
      <Suspense fallback={<Text role="status">{t.loading}</Text>}>
        <Picture label={t.clashPicture} nodes={nodes} edges={edges} boxWidth={280} height="45vh" onOpen={(id) => id.startsWith(constraintPrefix) && onTry([Number(id.slice(constraintPrefix.length))])} />
      </Suspense>
      {unsat.incomplete && <Text size="sm">{t.clashIncomplete}</Text>}
      <Title order={3} size="h4">{t.fixes}</Title>
      {unsat.fixes.length === 0 && <Text size="sm">{t.none}</Text>}
      <Stack gap="xs" component="ul" m={0} pl="md">
        {unsat.fixes.map(({ without, selections }) => (
          <li key={without.join(",")}>
            <Group gap="xs">
              <Text>{t.giveUp} {without.map((index) => `[${index}]`).join(", ")}</Text>
              <Button size="compact-xs" variant="default" aria-label={`${t.tryIt} [${without.join(", ")}]`} onClick={() => onTry(without)}>{t.tryIt}</Button>
            </Group>
            <Text size="sm" style={{ overflowWrap: "anywhere" }}>{selections.length === 0 ? t.nothingSelected : selections.join(", ")}</Text>
          </li>
        ))}
      </Stack>
    </Stack>
  );
}
