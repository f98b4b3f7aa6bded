import { Alert, Button, Code, Group, List, Stack, Table, Text, Title } from "@mantine/core";
import { Suspense, lazy, useMemo } from "react";
import { useTexts } from "../i18n/texts";
import { formatId } from "../model/ids";
import { PageLink } from "../shell/links";
import { Derivation } from "./Derivation";
import { clashPicture, constraintPrefix, lineOf } from "./clash";
import type { Constraint, Outcome, Selected, Unsat } from "./queries";

const Picture = lazy(() => import("../graph/Picture"));

interface Props {
  outcome: Outcome;
  constraints: Constraint[];
  onTry: (without: number[]) => void;
  onDerive?: () => void; // asks for the derivation of what is stored, which has none
}

/** What came of constraints: what is selected and why, or what clashes. */
export function OutcomeView({ outcome, constraints, onTry, onDerive }: Props) {
  const t = useTexts();
  const { unsat, explanation = [], selections = [], timedOut } = outcome;
  const all = explanation.length > 0 ? explanation : selections.map((selection): Selected => ({ selection, why: { constraint: -1, need: "" } }));
  return (
    <Stack gap="sm">
      {timedOut && <Alert color="yellow" role="alert" title={t("resolution.timedOut")}>{outcome.message}</Alert>}
      {unsat && <Clash unsat={unsat} constraints={constraints} onTry={onTry} onDerive={onDerive} />}
      {all.length > 0 && <Selections all={all} constraints={constraints} old={unsat !== undefined} />}
      {!unsat && !timedOut && all.length === 0 && <Text role="status">{t("resolution.nothingSelected")}</Text>}
    </Stack>
  );
}

/** Selected versions, each with what it is there for and what ruled out what would have been preferred. */
function Selections({ all, constraints, old }: { all: Selected[]; constraints: Constraint[]; old: boolean }) {
  const t = useTexts();
  return (
    <section aria-label={t("resolution.selections")}>
      <Title order={3} size="h4">{old ? t("resolution.oldSelections") : t("resolution.selections")}</Title>
      <Table verticalSpacing={4} style={{ overflowWrap: "anywhere" }}>
        <Table.Thead>
          <Table.Tr><Table.Th>{t("resolution.selection")}</Table.Th><Table.Th>{t("resolution.why")}</Table.Th></Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {all.map(({ selection, why, ruledOut = [], moreRuledOut = 0 }) => (
            <Table.Tr key={selection}>
              <Table.Td style={{ verticalAlign: "top" }}><SelectionLink selection={selection} /></Table.Td>
              <Table.Td>
                {why.constraint >= 0 ? <>{t("resolution.forConstraint", { index: why.constraint })} <Code>{lineOf(constraints[why.constraint])}</Code></> : why.by && t("resolution.forDependency", { by: why.by, need: why.need })}
                {ruledOut.length > 0 && (
                  <List size="sm" aria-label={t("resolution.ruledOut")}>
                    {ruledOut.map(({ candidate, text }) => <List.Item key={candidate}>{t("resolution.not")} <code>{candidate}</code>: {text}</List.Item>)}
                    {moreRuledOut > 0 && <List.Item>{t("common.andMore", { n: moreRuledOut })}</List.Item>}
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
  onDerive?: () => void; // asks for the derivation of what is stored, which has none
}

/** The few constraints and packages that meet, in a picture and in words, and the ways out. */
function Clash({ unsat, constraints, onTry, onDerive }: ClashProps) {
  const t = useTexts();
  const { nodes, edges } = useMemo(() => clashPicture(unsat, constraints), [unsat, constraints]);
  const stages: Record<string, string> = { package: t("resolution.stagePackage"), source: t("resolution.stageSource"), channel: t("resolution.stageChannel"), provides: t("resolution.stageProvides"), version: t("resolution.stageVersion"), prerelease: t("resolution.stagePrerelease") };
  return (
    <Stack gap="sm" component="section" aria-label={t("resolution.clash")}>
      <Title order={3} size="h4">{t("resolution.clash")}</Title>
      <List size="sm" aria-label={t("resolution.clashInWords")}>
        {unsat.core.map((index) => <List.Item key={`core ${index}`}>[{index}] <Code>{lineOf(constraints[index])}</Code></List.Item>)}
        {unsat.noMatch.map(({ constraint, stage }) => <List.Item key={`none ${constraint} ${stage}`}>[{constraint}] {stages[stage] ?? stage}</List.Item>)}
        {unsat.facts.map(({ text }) => <List.Item key={text}>{text}</List.Item>)}
      </List>
      <Suspense fallback={<Text role="status">{t("common.loading")}</Text>}>
        <Picture label={t("resolution.clashPicture")} nodes={nodes} edges={edges} boxWidth={280} height="60vh" down onOpen={(id) => id.startsWith(constraintPrefix) && onTry([Number(id.slice(constraintPrefix.length))])} />
      </Suspense>
      <Derivation unsat={unsat} constraints={constraints} />
      {onDerive && <div><Button variant="default" size="xs" onClick={onDerive}>{t("resolution.derive")}</Button></div>}
      {unsat.incomplete && <Text size="sm">{t("resolution.clashIncomplete")}</Text>}
      <Title order={3} size="h4">{t("resolution.fixes")}</Title>
      {unsat.fixes.length === 0 && <Text size="sm">{t("common.none")}</Text>}
      <Stack gap="xs" component="ul" m={0} pl="md">
        {unsat.fixes.map(({ without, selections }) => (
          <li key={without.join(",")}>
            <Group gap="xs">
              <Text>{t("resolution.giveUp")} {without.map((index) => `[${index}]`).join(", ")}</Text>
              <Button size="compact-xs" variant="default" aria-label={`${t("resolution.tryIt")} [${without.join(", ")}]`} onClick={() => onTry(without)}>{t("resolution.tryIt")}</Button>
            </Group>
            <Text size="sm" style={{ overflowWrap: "anywhere" }}>{selections.length === 0 ? t("resolution.nothingSelected") : selections.join(", ")}</Text>
          </li>
        ))}
      </Stack>
    </Stack>
  );
}
