import { ActionIcon, Button, Code, Group, Stack, Table, Text, TextInput } from "@mantine/core";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTexts } from "../i18n/texts";
import { dots } from "../model/secrets";
import { ChangeBadge } from "../shell/ChangeBadge";
import { WideTable } from "../shell/WideTable";
import { readYaml } from "../yaml/merge";
import { Expansion } from "./EffectivePanel";
import { PathName } from "./PathName";
import type { Below } from "./below";
import { NoValue, compareRows, pointerOf, put, rowsOf, take, valueOf, type Compared, type Path } from "./rows";

interface Props {
  before: string; // as it is stored
  text: string;
  focus?: Path; // the row that is looked at
  without?: ReadonlyMap<string, Below>; // what its parameters would be, by JSON pointer
  onChange: (text: string) => void;
}

/** The parameters of an override line by line. What is not touched stays as it is written. */
export function ParameterTable({ before, text, focus, without, onChange }: Props) {
  const t = useTexts();
  const rows = useMemo(() => compareRows(rowsOf(readYaml(before).contents), rowsOf(readYaml(text).contents)), [before, text]);
  const stored = (row: Compared) => readYaml(before).getIn(row.path, true);
  return (
    <Stack gap="sm">
      <WideTable aria-label={t("override.parameters")} verticalSpacing={4} minWidth={400} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("override.parameter")}</Table.Th>
            <Table.Th w="32%">{t("common.value")}</Table.Th>
            <Table.Th w="22%">{t("override.otherwise")}</Table.Th>
            <Table.Th w={104}>{t("common.change")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.length === 0 && <Table.Tr><Table.Td colSpan={4}><Text size="sm">{t("override.noParameters")}</Text></Table.Td></Table.Tr>}
          {rows.map((row) => (
            <Table.Tr key={row.pointer} data-change={row.change}>
              <Table.Td style={{ overflowWrap: "anywhere" }}><PathName path={row.path} /></Table.Td>
              <Table.Td>
                {row.after === undefined ? <Code><s>{row.before}</s></Code> : (
                  <Value row={row} shown={row.after} macros={macrosOf(row.after, without?.get(row.pointer))} focused={focus !== undefined && pointerOf(focus) === row.pointer} onChange={(value) => onChange(put(text, row.path, value))} />
                )}
              </Table.Td>
              <Table.Td style={{ overflowWrap: "anywhere" }}><Otherwise of={without?.get(row.pointer)} /></Table.Td>
              <Table.Td>
                <Group gap={4}>
                  {row.after === undefined ? (
                    <Button size="compact-xs" variant="default" aria-label={t("override.restoreParameter", { name: name(row) })} onClick={() => onChange(put(text, row.path, stored(row)))}>{t("override.restore")}</Button>
                  ) : (
                    <ActionIcon variant="subtle" aria-label={t("common.removeItem", { name: name(row) })} onClick={() => onChange(take(text, row.path))}>✕</ActionIcon>
                  )}
                  {row.change !== "same" && <ChangeBadge change={row.change} />}
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
      <NewParameter taken={rows.filter((row) => row.after !== undefined).map((row) => row.path[0])} onAdd={(path, value) => onChange(put(text, path, value))} />
      <Text size="sm" c="dimmed">{t("override.valueHint")}</Text>
    </Stack>
  );
}

/** What a parameter would be without the override, and where that comes from. */
function Otherwise({ of }: { of?: Below }) {
  const t = useTexts();
  if (!of?.source) return <Text span size="xs" c="dimmed">{of ? t("override.nothingElse") : ""}</Text>;
  const { name: from, level, location } = of.source;
  return (
    <>
      <Code>{of.secret ? dots : of.text}</Code>{" "}
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
  macros: string[]; // what its macros stand for
  focused: boolean;
  onChange: (value: unknown) => void;
}

/** A value that counts when one leaves the field or presses Enter; Escape takes it back. */
function Value({ row, shown, macros, focused, onChange }: ValueProps) {
  const t = useTexts();
  const field = useRef<HTMLInputElement>(null);
  const [written, setWritten] = useState<string>();
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
    <TextInput size="xs" aria-label={t("override.valueOf", { name: name(row) })} value={written ?? shown} error={error} ref={field} ff="monospace"
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
