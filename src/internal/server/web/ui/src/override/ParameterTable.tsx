import { ActionIcon, Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTexts } from "../i18n/texts";
import { dots } from "../model/secrets";
import { ChangeBadge } from "../shell/ChangeBadge";
import { readYaml } from "../yaml/merge";
import { Expansion } from "./EffectivePanel";
import { PathName } from "./PathName";
import type { Below } from "./below";
import { NoValue, compareRows, pointerOf, put, rowsOf, take, valueOf, type Compared, type Path } from "./rows";
import type { SecretOf } from "./secrets";
import { Breakable, Cell, VirtualTable } from "./VirtualTable";

interface Props {
  before: string; // as it is stored
  text: string;
  focus?: Path; // the row that is looked at
  secretOf?: SecretOf; // whose values are hidden; undefined once they are revealed
  without?: ReadonlyMap<string, Below>; // what its parameters would be, by JSON pointer
  onChange: (text: string, path: Path) => void; // with the parameter that changed
}

/** The parameters of an override line by line. What is not touched stays as it is written. */
export function ParameterTable({ before, text, focus, secretOf, without, onChange: tell }: Props) {
  const t = useTexts();
  const rows = useMemo(() => compareRows(rowsOf(readYaml(before).contents), rowsOf(readYaml(text).contents)), [before, text]);
  const stored = (row: Compared) => readYaml(before).getIn(row.path, true);
  const [touched, setTouched] = useState<Path>(); // a new row is scrolled to
  const onChange = (next: string, path: Path) => {
    setTouched(path);
    tell(next, path);
  };
  const shown = focus ?? touched;
  const writing = useRef(new Map<string, string>()); // what is written in fields, which are not all drawn
  const names = { parameter: t("override.parameter"), value: t("common.value"), otherwise: t("override.otherwise"), change: t("common.change") };
  const columns = [{ name: names.parameter, width: "29%" }, { name: names.value }, { name: names.otherwise, width: "21%" }, { name: names.change, width: "116px" }];
  return (
    <Stack gap="sm">
      <VirtualTable label={t("override.parameters")} columns={columns} rows={rows} keyOf={keyOf} changeOf={changeOf} empty={t("override.noParameters")} shown={shown && pointerOf(shown)} renderCells={(row) => {
        const of = without?.get(row.pointer);
        const secret = secretOf?.(row.path, row.after ?? row.before ?? "") === true;
        return (
          <>
            <Cell column={names.parameter}><PathName path={row.path} /></Cell>
            <Cell column={names.value}>
              {row.after === undefined ? <Code><s>{secret ? dots : row.before}</s></Code> : (
                <Value row={row} shown={row.after} secret={secret} writing={writing.current} macros={macrosOf(row.after, of)} focused={focus !== undefined && pointerOf(focus) === row.pointer} onChange={(value) => onChange(put(text, row.path, value), row.path)} />
              )}
            </Cell>
            <Cell column={names.otherwise}><Otherwise of={of} secret={secret} /></Cell>
            <Cell column={names.change}>
              <Group gap={4}>
                {row.after === undefined ? (
                  <Button size="compact-xs" variant="default" aria-label={t("override.restoreParameter", { name: name(row) })} onClick={() => onChange(put(text, row.path, stored(row)), row.path)}>{t("override.restore")}</Button>
                ) : (
                  <ActionIcon variant="subtle" aria-label={t("common.removeItem", { name: name(row) })} onClick={() => onChange(take(text, row.path), row.path)}>✕</ActionIcon>
                )}
                {row.change !== "same" && <ChangeBadge change={row.change} />}
              </Group>
            </Cell>
          </>
        );
      }} />
      <NewParameter taken={rows.filter((row) => row.after !== undefined).map((row) => row.path[0])} onAdd={(path, value) => onChange(put(text, path, value), path)} />
      <Text size="sm" c="dimmed">{t("override.valueHint")}</Text>
    </Stack>
  );
}

const keyOf = ({ pointer }: Compared) => pointer;
const changeOf = ({ change }: Compared) => change;

/** What a parameter would be without the override, and where that comes from. */
function Otherwise({ of, secret }: { of?: Below; secret: boolean }) {
  const t = useTexts();
  if (!of) return null;
  if (!of.source) return <Text span size="xs" c="dimmed">{t("override.nothingElse")}</Text>;
  const { name: from, level, location } = of.source;
  return (
    <>
      <Code>{of.secret || secret ? dots : <Breakable text={of.text ?? ""} />}</Code>{" "}
      <Text span size="xs" c="dimmed" title={location}>{level ?? from}</Text>
    </>
  );
}

/** What the macros of a value stand for: each by itself, and the value as a whole. */
function macrosOf(text: string, of: Below | undefined): string[] {
  if (!of || of.secret || !text.includes("${")) return [];
  return of.becomes === undefined || of.becomes === text ? of.macros : [`= ${of.becomes}`, ...of.macros];
}

function name({ path }: Compared): string {
  return path.map(String).join(" › ");
}

interface ValueProps {
  row: Compared;
  shown: string;
  secret: boolean; // it is not to be read
  writing: Map<string, string>; // what is written and does not count yet, by JSON pointer
  macros: string[]; // what its macros stand for
  focused: boolean;
  onChange: (value: unknown) => void;
}

/** A value that counts when one leaves the field or presses Enter; Escape takes it back. */
function Value({ row, shown, secret, writing, macros, focused, onChange }: ValueProps) {
  const t = useTexts();
  const field = useRef<HTMLInputElement>(null);
  const [written, write] = useState(writing.get(row.pointer));
  const setWritten = (text?: string) => {
    if (text === undefined) writing.delete(row.pointer);
    else writing.set(row.pointer, text);
    write(text);
  };
  const [error, setError] = useState<string>();
  useEffect(() => {
    if (focused) field.current?.focus();
  }, [focused]);
  const commit = () => {
    if (written === undefined || written === shown) return;
    try {
      onChange(valueOf(written));
      setWritten(undefined);
    } catch (problem) {
      if (!(problem instanceof NoValue)) throw problem;
      setError(t("override.noValue"));
    }
  };
  return (
    <Expansion macros={macros}>
    <TextInput size="xs" type={secret ? "password" : undefined} autoComplete="off" aria-label={t("override.valueOf", { name: name(row) })} value={written ?? shown} error={error} ref={field} ff="monospace"
      onChange={(event) => { setWritten(event.currentTarget.value); setError(undefined); }} onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
        if (event.key === "Escape") setWritten(undefined);
      }} />
    </Expansion>
  );
}

/** The line in which a parameter is added at the top. */
function NewParameter({ taken, onAdd }: { taken: unknown[]; onAdd: (path: Path, value: unknown) => void }) {
  const t = useTexts();
  const [key, setKey] = useState("");
  const [value, setValue] = useState("");
  const [error, setError] = useState<string>();
  const isTaken = taken.map(String).includes(key);
  const add = () => {
    if (key === "" || isTaken) return;
    try {
      onAdd([key], valueOf(value));
      setKey("");
      setValue("");
      setError(undefined);
    } catch (problem) {
      if (!(problem instanceof NoValue)) throw problem;
      setError(t("override.noValue"));
    }
  };
  return (
    <form aria-label={t("override.addParameter")} onSubmit={(event) => { event.preventDefault(); add(); }}>
      <Group align="flex-end" gap="xs">
        <TextInput size="xs" label={t("override.newName")} value={key} onChange={(event) => setKey(event.currentTarget.value)} error={isTaken ? t("override.nameTaken") : undefined} flex={1} miw={140} />
        <TextInput size="xs" label={t("override.newValue")} value={value} onChange={(event) => { setValue(event.currentTarget.value); setError(undefined); }} error={error} flex={1} miw={140} />
        <Button size="xs" variant="default" type="submit" disabled={key === "" || isTaken}>{t("override.addParameter")}</Button>
      </Group>
    </form>
  );
}
