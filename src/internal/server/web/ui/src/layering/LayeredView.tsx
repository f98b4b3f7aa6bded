import { Badge, Button, Code, Group, List, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTexts, type Texts } from "../i18n/texts";
import { PageLink } from "../shell/links";
import { Dialog } from "../shell/Dialog";
import { ProblemAlert } from "../shell/ProblemAlert";
import { hintAt } from "../yaml/hints";
import { YamlDiff, YamlEditor } from "../yaml/lazy";
import { hintsOf } from "./hints";
import { Chain, LayeredLink } from "./Layers";
import { layeredQuery, type LayeredId, type Origin, type ValueOrigin } from "./queries";
import { textOf } from "./text";

const none: ValueOrigin[] = [];

interface Props {
  revision: number;
  id: LayeredId;
  path?: string; // of the value whose origin is shown
  onPath: (path: string | undefined) => void;
}

/** One document: what it is made of, as it was put beside what it renders to, and where each value comes from. */
export function LayeredView({ revision, id, path, onPath }: Props) {
  const t = useTexts();
  const layered = useQuery(layeredQuery(revision, id));
  if (layered.isError) return <ProblemAlert error={layered.error} />;
  if (!layered.data) return <Text role="status">{t("common.loading")}</Text>;
  const { raw, rendered, origins } = layered.data;
  const values = origins?.values ?? none;
  const chosen = values.find((value) => value.path === path);
  return (
    <Stack gap="sm">
      <PageLink to="/layering" search={(before) => ({ ...before, schema: undefined, name: undefined, layer: undefined, path: undefined })} size="sm">
        {t("layering.allDocuments")}
      </PageLink>
      <Group gap="xs">
        <Title order={3} size="h3" style={{ overflowWrap: "anywhere" }}>{id.name}</Title>
        <Badge variant="default" tt="none">{id.schema}</Badge>
        {id.layer && <Badge variant="default" tt="none">{t("layering.inLayer", { name: id.layer })}</Badge>}
        {origins?.abstract && <Badge variant="default" tt="none">{t("layering.abstract")}</Badge>}
      </Group>
      {!origins && <Text role="alert">{t("layering.documentNotInRevision")}</Text>}
      {origins && (
        <List size="sm" listStyleType="none">
          <List.Item>{t("layering.parentChain")}: <Chain ids={origins.parents} /></List.Item>
          {origins.replaces && <List.Item>{t("layering.takesPlaceOf")}: <LayeredLink id={origins.replaces} withLayer /></List.Item>}
          {origins.sources.length > 0 && <List.Item>{t("layering.substitutesFrom")}: {origins.sources.map((source, i) => <span key={`${source.schema} ${source.name}`}>{i > 0 && ", "}<LayeredLink id={source} withLayer /></span>)}</List.Item>}
        </List>
      )}
      {raw !== "" && (rendered === "" ? (
        <>
          <Text role="status">{t("layering.notRendered")}</Text>
          <YamlEditor label={t("layering.raw")} value={raw} height="45vh" />
        </>
      ) : (
        <SourceMap raw={raw} rendered={rendered} values={values} onOpen={onPath} />
      ))}
      {values.length > 0 && <Values values={values} onOpen={onPath} />}
      {chosen && <OriginDialog value={chosen} onClose={() => onPath(undefined)} />}
    </Stack>
  );
}

/** A document as it was put beside what it renders to, in which hovering says where a value comes from, and so does the cursor. */
function SourceMap({ raw, rendered, values, onOpen }: { raw: string; rendered: string; values: ValueOrigin[]; onOpen: (path: string) => void }) {
  const t = useTexts();
  const [cursor, setCursor] = useState<number>();
  const hints = useMemo(() => hintsOf(rendered, values, (value) => [value.path, ...linesOf(t, value)]), [rendered, values, t]);
  const hint = cursor === undefined ? undefined : hintAt(hints, cursor);
  return (
    <section aria-label={t("layering.rawAndRendered")}>
      <YamlDiff before={raw} after={rendered} beforeLabel={t("layering.raw")} afterLabel={t("layering.rendered")} hints={hints} onCursor={setCursor} />
      <Group gap="xs" mt={4} mih={26}>
        <Text size="sm" role="status" style={{ overflowWrap: "anywhere" }}>{hint ? hint.lines.join(" · ") : t("layering.hoverHint")}</Text>
        {hint?.lines[0] && <Button size="compact-xs" variant="default" onClick={() => onOpen(hint.lines[0] ?? "")}>{t("layering.allSteps")}</Button>}
      </Group>
    </section>
  );
}

/** Where a value comes from, and what it replaced, each in a line. */
function linesOf(t: Texts, { origin, replaced = [] }: ValueOrigin): string[] {
  const name = (id: LayeredId) => (id.layer ? `${id.name} (${t("layering.inLayer", { name: id.layer })})` : id.name);
  const lineOf = ({ document, how, number = 0, path = "", source }: Origin) => {
    const what = source ? t("layering.bySubstitution", { n: number, path }) : number > 0 ? t("layering.byAction", { n: number, how, path }) : t("layering.byData");
    return `${document ? name(document) : t("layering.hiddenDocument")}: ${what}${source ? ` ← ${name(source.document)} ${source.path}` : ""}`;
  };
  return [lineOf(origin), ...replaced.map((step) => `${t("layering.replacedValue")}: ${textOf(step.value)}, ${lineOf(step.origin)}`)];
}

function Values({ values, onOpen }: { values: ValueOrigin[]; onOpen: (path: string) => void }) {
  const t = useTexts();
  const [find, setFind] = useState("");
  const shown = useMemo(() => values.filter(({ path, value }) => `${path} ${textOf(value)}`.toLowerCase().includes(find.toLowerCase())), [values, find]);
  const most = 500;
  return (
    <Stack gap="xs" component="section" aria-label={t("layering.originsOfValues")}>
      <Group justify="space-between">
        <Title order={4} size="h4">{t("layering.originsOfValues")}</Title>
        <TextInput size="xs" aria-label={t("common.findParameter")} placeholder={t("common.findParameter")} value={find} onChange={(event) => setFind(event.currentTarget.value)} w={260} />
      </Group>
      <Table layout="fixed" verticalSpacing={4} style={{ overflowWrap: "anywhere" }}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("common.value")}</Table.Th>
            <Table.Th>{t("layering.renderedValue")}</Table.Th>
            <Table.Th>{t("layering.comesFrom")}</Table.Th>
            <Table.Th w={130}>{t("layering.details")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.slice(0, most).map(({ path, value, origin, replaced }) => (
            <Table.Tr key={path}>
              <Table.Td><code>{path}</code></Table.Td>
              <Table.Td><Code>{textOf(value)}</Code></Table.Td>
              <Table.Td><OriginText origin={origin} /></Table.Td>
              <Table.Td><Button size="compact-xs" variant="default" title={t("common.originOf", { name: path })} onClick={() => onOpen(path)}>{t("layering.history", { n: (replaced?.length ?? 0) + 1 })}</Button></Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {shown.length > most && <Text size="sm">{t("common.deleteShown", { shown: most, total: shown.length })}</Text>}
    </Stack>
  );
}

/** What put a value there, in one line. */
function OriginText({ origin }: { origin: Origin }) {
  const t = useTexts();
  const { document, how, number = 0, path = "", source } = origin;
  const what = source ? t("layering.bySubstitution", { n: number, path }) : number > 0 ? t("layering.byAction", { n: number, how, path }) : t("layering.byData");
  return (
    <>
      {document ? <LayeredLink id={document} withLayer /> : t("layering.hiddenDocument")}: {what}
      {source && <> ← <LayeredLink id={source.document} withLayer /> <code>{source.path}</code></>}
    </>
  );
}

/** All that stood at a place, from what stands there now to what was first, each with where it was from. */
function OriginDialog({ value, onClose }: { value: ValueOrigin; onClose: () => void }) {
  const t = useTexts();
  const steps = [{ value: value.value, origin: value.origin }, ...(value.replaced ?? [])];
  return (
    <Dialog title={t("common.originTitle")} onClose={onClose}>
      <Text mb="sm"><code>{value.path}</code></Text>
      <List type="ordered" spacing="md" aria-label={t("common.originTitle")}>
        {steps.map((step, i) => (
          // oxlint-disable-next-line react/no-array-index-key -- a step is its place in the history
          <List.Item key={i} data-won={i === 0 || undefined}>
            <Code>{textOf(step.value)}</Code> {i === 0 ? <Badge tt="none">{t("common.wins")}</Badge> : <Badge variant="default" tt="none">{t("layering.replacedValue")}</Badge>}
            <Sources origin={step.origin} />
          </List.Item>
        ))}
      </List>
    </Dialog>
  );
}

/** An origin with those of the documents that it was taken from. */
function Sources({ origin }: { origin: Origin }) {
  return (
    <div>
      <Text size="sm" component="div"><OriginText origin={origin} /></Text>
      {origin.source && <div style={{ paddingLeft: 16 }}><Sources origin={origin.source.origin} /></div>}
    </div>
  );
}
