import { Alert, Anchor, Badge, Button, Checkbox, Code, Group, List, Stack, Text, TextInput, Tooltip } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { ApiError } from "../api/problem";
import { useTexts } from "../i18n/texts";
import { ChangeBadge } from "../shell/ChangeBadge";
import { ProblemAlert } from "../shell/ProblemAlert";
import { RevealNote } from "../shell/Secrets";
import { When } from "../shell/When";
import { dots } from "../model/secrets";
import { PathName } from "./PathName";
import { expansions } from "./below";
import type { Choice, Target } from "./place";
import { isSecret, type EffectiveSet } from "./queries";
import { useRevealSet } from "./reveal";
import { compareRows, pointerOf, rowsOf, type Compared, type Path } from "./rows";
import { Breakable, Cell, VirtualTable } from "./VirtualTable";
import classes from "./VirtualTable.module.css";

interface Props {
  choice: Choice; // with the application that is shown
  target?: Target;
  set: UseQueryResult<EffectiveSet | null>;
  note?: string; // about what is typed and not saved
  touched?: Path; // the parameter that was edited last
  included: boolean; // it is in what is to be
  onPath: (path: string) => void; // a value whose origin is asked for, as a JSON pointer
  onLaterWins: () => void;
}

/** What an application, or a pipeline, gets: as generated, and with all overrides that are stored, or typed instead. */
export function EffectivePanel({ target, choice, set, onLaterWins, ...rest }: Props) {
  const t = useTexts();
  if (!target) return <Text role="status">{choice.namespace === "" ? t("override.chooseNamespaceAndApplication") : t("override.chooseApplication")}</Text>;
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
  return set.data ? <Shown choice={choice} set={set.data} {...rest} /> : <Text role="status">{t("override.noEffectiveSet")}</Text>;
}

function Shown({ set, choice, note, touched, included, onPath }: Pick<Props, "choice" | "note" | "touched" | "included" | "onPath"> & { set: EffectiveSet }) {
  const t = useTexts();
  const [find, setFind] = useState("");
  const [onlyChanges, setOnlyChanges] = useState(false);
  const reveal = useRevealSet(choice, set);
  const { revealed } = reveal;
  const rows = useMemo(() => compareRows(rowsOf(set.now), rowsOf(set.toBe)).map((row) => ({ ...row, secret: isSecret(set, row.pointer) })), [set]);
  const shown = rows.filter((row) => (!onlyChanges || row.change !== "same") && `${row.path.join(" ")} ${row.secret && !revealed ? "" : row.after}`.toLowerCase().includes(find.toLowerCase()));
  const changes = rows.filter((row) => row.change !== "same").length;
  const names: Names = { parameter: t("override.parameter"), now: t("common.now"), toBe: t("override.toBe"), change: t("common.change") };
  const columns = [{ name: names.parameter, width: "34%" }, { name: names.now }, { name: names.toBe }, { name: names.change, width: "116px" }];
  const whose = choice.context === "pipeline" ? `${choice.cluster}/${choice.environment}` : choice.application;
  return (
    <Stack gap="sm">
      {note && <Alert color={included ? "blue" : "yellow"} role="status">{note}</Alert>}
      <Text size="sm">
        {t("override.effectiveSetOf", { name: whose })} · {set.files ? <>{t("override.generatedAt")} <strong>{set.generated === "" ? t("override.unknown") : <When time={set.generated} />}</strong></> : t("override.notGenerated")}
        {" · "}<span role="status">{t("override.valuesChange", { n: changes })}</span>
      </Text>
      <Basis set={set} />
      {!revealed && rows.some(({ secret }) => secret) && <RevealNote reveal={reveal} />}
      <Group>
        <TextInput size="xs" aria-label={t("common.findParameter")} placeholder={t("common.findParameter")} value={find} onChange={(event) => setFind(event.currentTarget.value)} flex={1} miw={160} />
        <Checkbox size="sm" label={t("override.onlyChanges")} checked={onlyChanges} onChange={(event) => setOnlyChanges(event.currentTarget.checked)} />
      </Group>
      <VirtualTable label={t("override.effectiveSet")} columns={columns} rows={shown} keyOf={keyOf} changeOf={changeOf} empty={t("common.nothingFound")} shown={touched && pointerOf(touched)}
        renderCells={(row) => <Line names={names} row={row} hidden={row.secret && !revealed} macros={row.secret ? none : expansions(set.chains.get(row.pointer) ?? [])} overridden={isOverridden(set, row)} onOpen={() => onPath(row.pointer)} />} />
    </Stack>
  );
}

const none: string[] = [];
const keyOf = ({ pointer }: Compared) => pointer;
const changeOf = ({ change }: Compared) => change;

/** The names of the columns. */
interface Names {
  parameter: string;
  now: string;
  toBe: string;
  change: string;
}

/** What the set that is to be was made from, and what the server says about that. */
function Basis({ set: { calculated, findings } }: { set: EffectiveSet }) {
  const t = useTexts();
  return (
    <div>
      <Text size="sm">{calculated ? t("override.basisCalculated") : t("override.basisGenerated")}</Text>
      {findings.length > 0 && (
        <details>
          <summary>{t("common.findings", { n: findings.length })}</summary>
          <List size="sm">{findings.map((finding) => <List.Item key={finding} style={{ overflowWrap: "anywhere" }}>{finding}</List.Item>)}</List>
        </details>
      )}
    </div>
  );
}

/** Whether an override gives a value, which may be the same as before. */
function isOverridden(set: EffectiveSet, row: Compared): boolean {
  return set.chains.get(row.pointer)?.some((source) => source.won && source.override) ?? false;
}

interface LineProps {
  names: Names;
  row: Compared;
  hidden: boolean;
  macros: string[];
  overridden: boolean;
  onOpen: () => void;
}

/** The cells of a value: as it is now and as it will be. */
function Line({ names, row, hidden, macros, overridden, onOpen }: LineProps) {
  const t = useTexts();
  const show = (text: string) => (hidden ? dots : <Breakable text={text} />);
  return (
    <>
      <Cell column={names.parameter}><PathName path={row.path} /></Cell>
      <Cell column={names.now}>{row.before !== undefined && <Code className={classes.value} title={hidden ? undefined : row.before}>{show(row.before)}</Code>}</Cell>
      <Cell column={names.toBe}>
        {row.after !== undefined && (
          <Expansion macros={macros}>
            <Anchor component="button" type="button" size="sm" ff="monospace" ta="left" className={classes.value} title={t("common.originOf", { name: row.path.join(" › ") })} onClick={onOpen}>
              {show(row.after)}
            </Anchor>
          </Expansion>
        )}
      </Cell>
      <Cell column={names.change}>
        {row.change !== "same" && <ChangeBadge change={row.change} />}
        {row.change === "same" && overridden && <Badge variant="default" tt="none">{t("override.overridden")}</Badge>}
      </Cell>
    </>
  );
}

/** Says on hover and focus what the macros of a value stand for. */
export function Expansion({ macros, children }: { macros: string[]; children: React.JSX.Element }) {
  if (macros.length === 0) return children;
  return (
    <Tooltip multiline maw={480} events={{ hover: true, focus: true, touch: true }} label={<span style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere", fontFamily: "var(--mantine-font-family-monospace)" }}>{macros.join("\n")}</span>}>
      {children}
    </Tooltip>
  );
}
