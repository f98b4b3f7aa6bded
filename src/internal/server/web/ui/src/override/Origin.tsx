import { Badge, Button, Code, Group, List, Select, Stack, Text, Timeline } from "@mantine/core";
import { useMemo } from "react";
import { parseDocument } from "yaml";
import { useTexts, type Texts } from "../i18n/texts";
import { dots } from "../model/secrets";
import { PageLink } from "../shell/links";
import { RevealNote } from "../shell/Secrets";
import { PathName } from "./PathName";
import { documentOf } from "./documentOf";
import type { Choice } from "./place";
import { isSecret, type EffectiveSet, type Source } from "./queries";
import { useRevealSet } from "./reveal";
import { compareRows, lineOf, rowsOf, type Path } from "./rows";

interface Props {
  choice: Choice;
  set?: EffectiveSet;
  path?: string; // of the value, as a JSON pointer
  onPath: (path: string) => void;
  onChange: (path: Path, value: unknown) => void;
}

/** Where a value of an effective set comes from: all that set it, what won, and what its macros stand for. */
export function OriginPanel({ choice, set, path, onPath, onChange }: Props) {
  const t = useTexts();
  const reveal = useRevealSet(choice, set);
  const rows = useMemo(() => (set ? compareRows(rowsOf(set.now), rowsOf(set.toBe)).filter(({ after }) => after !== undefined) : []), [set]);
  const row = rows.find(({ pointer }) => pointer === path);
  const hidden = set !== undefined && row !== undefined && isSecret(set, row.pointer) && !reveal.revealed;
  const chain = (row && set?.chains.get(row.pointer)) ?? [];
  return (
    <Stack gap="sm" component="section" aria-label={t("common.originTitle")}>
      <Select size="xs" searchable limit={100} label={t("override.parameter")} value={row?.pointer ?? null} data={rows.map(({ pointer, path: names }) => ({ value: pointer, label: names.join(" › ") }))} onChange={(next) => next !== null && onPath(next)} />
      {!row && <Text role="status" size="sm">{t("override.chooseValue")}</Text>}
      {hidden && <RevealNote reveal={reveal} />}
      {row && (
        <>
          <Text style={{ overflowWrap: "anywhere" }}><PathName path={row.path} /> = <Code>{hidden ? dots : row.after}</Code></Text>
          <Timeline active={chain.findIndex((source) => source.won)} bulletSize={16} aria-label={t("common.originTitle")}>
            {chain.map((source, i) => (
              <Timeline.Item key={`${source.location} ${source.name} ${source.level}`} data-won={source.won || undefined}
                title={<Group gap="xs"><SourceName choice={choice} source={source} />{source.won && <Badge tt="none">{t("common.wins")}</Badge>}</Group>}>
                <Text size="sm" c="dimmed">{i + 1}. {kindOf(t, source)}</Text>
                <Code block>{hidden ? dots : lineOf(source.value)}</Code>
                <Macros source={source} hidden={hidden} />
              </Timeline.Item>
            ))}
          </Timeline>
          <Group>
            <Button size="xs" disabled={hidden} title={hidden ? t("override.revealFirst") : undefined} onClick={() => onChange(row.path, parseDocument(row.after ?? "null", { intAsBigInt: true }).contents)}>{t("override.overrideThis")}</Button>
          </Group>
        </>
      )}
    </Stack>
  );
}

/** What the macros of a value stand for, and who set that. */
function Macros({ source: { macros }, hidden }: { source: Source; hidden: boolean }) {
  const t = useTexts();
  if (macros.length === 0) return null;
  return (
    <List size="sm" listStyleType="none" aria-label={t("override.macros")}>
      {macros.map(({ macro, chain }) => (
        <List.Item key={macro} style={{ overflowWrap: "anywhere" }}>
          <Code>{macro}</Code> {chain.map((source) => <span key={`${source.name} ${source.level}`}> ← {source.value && !hidden ? <Code>{lineOf(source.value)}</Code> : null} {kindOf(t, source)} {source.location}</span>)}
        </List.Item>
      ))}
    </List>
  );
}

function kindOf(t: Texts, source: Source): string {
  if (source.calculated) return t("override.calculatedValue");
  if (source.file) return t("override.generatedFile");
  const level = { environment: t("override.levelEnvironment"), namespace: t("override.levelNamespace"), application: t("override.levelApplication") }[source.level ?? ""];
  const kind = source.override ? t("override.override") : source.input ? t("override.paramSetInput") : t("override.paramSet");
  return level ? `${kind}, ${t("override.level").toLowerCase()}: ${level.toLowerCase()}` : (source.level ?? kind);
}

/** The name of a source, which leads to its document where it is one of the store. */
function SourceName({ choice, source }: { choice: Choice; source: Source }) {
  const id = documentOf(choice, source);
  if (id === undefined) return <Text span style={{ overflowWrap: "anywhere" }}>{source.name || source.location}</Text>;
  return <PageLink to="/explorer" search={{ id }} style={{ overflowWrap: "anywhere" }}>{source.name}</PageLink>;
}
