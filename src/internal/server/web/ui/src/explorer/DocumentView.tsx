import { Badge, Breadcrumbs, Button, Code, Group, Skeleton, Stack, Tabs, Text, Title } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useBlocker } from "@tanstack/react-router";
import { Suspense, lazy, useEffect, useState } from "react";
import type { ExplorerSearch, ViewSearch } from "../addresses";
import { send } from "../api/client";
import { isNotFound } from "../api/problem";
import { graphQuery, sourceQuery } from "../api/queries";
import type { Source } from "../api/documents";
import { inView, moment } from "../api/view";
import { StagedBadge } from "../changesets/StagedBadge";
import { useTexts } from "../i18n/texts";
import { focusSoon } from "../keyboard/focus";
import { useShortcuts } from "../keyboard/registry";
import { lastVersionQuery } from "../history/queries";
import type { Kind, Model } from "../model/kinds";
import { useLive } from "../live/live";
import { LiveBanner } from "../live/LiveBanner";
import { noteRecent } from "../palette/recent";
import { offerFile } from "../shell/download";
import { KindIcon } from "../shell/KindIcon";
import { PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ReasonButton } from "../shell/ReasonButton";
import { useReveal } from "../shell/Secrets";
import { When } from "../shell/When";
import { Commands } from "./Commands";
import { ActionHistory, LifecyclePanel } from "./LifecyclePanel";
import { Links } from "./Links";
import { NewMenu } from "./NewMenu";
import { useDraft } from "./draft";
import { useFrozen, type Frozen } from "./frozen";
import { Overview } from "./Overview";
import classes from "./Document.module.css";

const route = getRouteApi("/explorer");
const Neighbourhood = lazy(() => import("../graph/Neighbourhood"));
const EditTab = lazy(() => import("./EditTab"));
const PastTab = lazy(() => import("./PastTab"));
const HistoryPanel = lazy(async () => ({ default: (await import("../history/HistoryPanel")).HistoryPanel }));
const DeleteDialog = lazy(async () => ({ default: (await import("./DeleteDialog")).DeleteDialog }));

interface Props {
  model: Model;
  id: string;
  tab?: string;
  depth?: string;
  at?: string;
  before?: string;
  view?: string;
}

/** All about one document. */
export default function DocumentView(props: Props) {
  const { model, id } = props;
  const t = useTexts();
  const path = model.itemPath(id);
  const kind = model.kindOf(id);
  if (path === undefined || kind === undefined) return <Text role="alert">{t("explorer.noPath")}</Text>;
  return (
    <Stack gap="sm">
      <Ancestors model={model} id={id} />
      <Loaded {...props} path={path} kind={kind} />
    </Stack>
  );
}

/** Where a document is: the kind of the first of those above it, and these with their full keys. */
function Ancestors({ model, id }: { model: Model; id: string }) {
  const t = useTexts();
  const above = model.ancestors(id);
  const top = model.kindOf(above[0] ?? id)?.name;
  return (
    <Breadcrumbs component="nav" aria-label={t("explorer.breadcrumbs")} separatorMargin={6} className={classes.crumbs}>
      {top !== undefined && (
        <PageLink to="/explorer" search={{ kind: top }} size="sm">
          {top}
        </PageLink>
      )}
      {above.map((step) => (
        <PageLink key={step} to="/explorer" search={{ id: step }} title={step} size="sm">
          {model.titleOf(step)}
        </PageLink>
      ))}
      <Text span size="sm" aria-current="page">
        {model.titleOf(id)}
      </Text>
    </Breadcrumbs>
  );
}

interface LoadedProps extends Props {
  path: string;
  kind: Kind;
}

function Loaded({ path, ...rest }: LoadedProps) {
  const t = useTexts();
  const source = useQuery(sourceQuery(path));
  const last = useQuery(lastVersionQuery(path)).data; // read beside the document, so that what it says is there with it
  if (source.isError && !source.data) return isNotFound(source.error) ? <Gone path={path} {...rest} /> : <ProblemAlert error={source.error} />;
  if (!source.data) return <Text role="status">{t("common.loading")}</Text>;
  return <Shown path={path} source={source.data} by={last && `"${last.version}"` === source.data.envelope.etag ? last.principal : undefined} {...rest} />;
}

/** A document that is not there, with its history if it was. */
function Gone({ model, id, path, at, before }: LoadedProps) {
  const t = useTexts();
  return (
    <>
      <Title order={2} title={id} style={{ overflowWrap: "anywhere" }}>
        {model.titleOf(id)}
      </Title>
      <StagedBadge id={id} />
      <Text role="alert">{t("common.documentGone")}</Text>
      <Suspense fallback={<Text role="status">{t("common.loading")}</Text>}>
        <HistoryPanel id={id} path={path} at={at} before={before} deleted />
      </Suspense>
    </>
  );
}

interface ShownProps extends LoadedProps {
  source: Source;
  by?: string; // who wrote what is shown, where that is known
}

function Shown({ model, id, path, kind, tab: named, depth, at, before, view, source, by }: ShownProps) {
  const t = useTexts();
  const navigate = route.useNavigate();
  const draft = useDraft(source, kind.sensitive || moment() !== "" ? undefined : inView(path)); // secrets are not kept
  const [first] = useState(draft.changed ? "yaml" : "overview"); // one who was writing goes on
  const tab = named ?? first;
  const live = useLive(id, path);
  const queries = useQueryClient();
  useEffect(() => noteRecent(id), [id]);
  useEffect(() => {
    if (tab === "graph") void queries.prefetchQuery(graphQuery(path, depth)); // while the code of pictures is loaded
  }, [queries, tab, path, depth]);
  const reveal = useReveal(draft.changed, inView(path));
  const frozen = useFrozen(model, kind, id, path);
  const leaves = () => {
    if (!window.confirm(t("common.leaveUnsaved"))) return false;
    draft.discard();
    return true;
  };
  useBlocker({
    shouldBlockFn: ({ current, next }) => draft.changed && placeIn(current.search) !== placeIn(next.search) && !leaves(),
    enableBeforeUnload: draft.changed,
  });
  const { envelope } = source;
  const open = (next: string) => void navigate({ search: (now) => ({ ...now, tab: next, at: undefined, before: undefined, view: undefined }) });
  useShortcuts([
    {
      keys: "e", label: t("keyboard.edit"), act: () => {
        if (tab !== "form") open("yaml");
        focusSoon(tab === "form" ? '#content [role="tabpanel"] input' : "#content .cm-content");
      },
    },
    { keys: "h", label: t("keyboard.history"), act: () => open("history") },
  ]);
  return (
    <>
      <Heading model={model} kind={kind} path={path} source={source} by={by} frozen={frozen} />
      <Tabs value={tab} keepMounted={false} onChange={(next) => open(next ?? first)}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="overview">{t("explorer.tabOverview")}</Tabs.Tab>
          <Tabs.Tab value="yaml" rightSection={draft.changed && tab !== "yaml" && tab !== "form" && <Badge variant="outline" size="xs" tt="none">{t("common.edited")}</Badge>}>{t("common.tabYaml")}</Tabs.Tab>
          <Tabs.Tab value="form">{t("explorer.tabForm")}</Tabs.Tab>
          <Tabs.Tab value="links">{t("explorer.tabLinks")}</Tabs.Tab>
          <Tabs.Tab value="graph">{t("explorer.tabGraph")}</Tabs.Tab>
          <Tabs.Tab value="history">{t("explorer.tabHistory")}</Tabs.Tab>
          <Tabs.Tab value="api">{t("explorer.tabApi")}</Tabs.Tab>
          {envelope.status !== undefined && <Tabs.Tab value="status">{t("common.tabStatus")}</Tabs.Tab>}
          {envelope.content && <Tabs.Tab value="files">{t("explorer.tabFiles")}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="overview">
          {live.change && <LiveBanner change={live.change} edited={draft.changed} onClose={live.dismiss} />}
          <Overview model={model} kind={kind} id={id} path={path} source={source} onOpen={open} />
        </Tabs.Panel>
        {(["yaml", "form"] as const).map((way) => (
          <Tabs.Panel key={way} value={way}>
            <Suspense fallback={<Skeleton height={200} />}>
              <EditTab stored={source} live={live} model={model} kind={kind} frozen={frozen.put} direct={frozen.direct} path={path} draft={draft} view={way} reveal={reveal} />
            </Suspense>
          </Tabs.Panel>
        ))}
        <Tabs.Panel value="links">
          <Links id={id} path={path} kinds={model.childKinds(kind)} />
        </Tabs.Panel>
        <Tabs.Panel value="graph">
          <Suspense fallback={<Text role="status">{t("common.loading")}</Text>}>
            <Neighbourhood path={path} id={id} depth={depth} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <Suspense fallback={<Skeleton height={200} />}>
            <PastTab source={source} kind={kind} model={model} reveal={reveal} id={id} path={path} at={at} before={before} view={view} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="api">
          <Commands model={model} kind={kind} id={id} path={path} />
        </Tabs.Panel>
        <Tabs.Panel value="status">
          {kind.lifecycle && <ActionHistory path={path} />}
          <Code block>{JSON.stringify(envelope.status, undefined, 2)}</Code>
        </Tabs.Panel>
        <Tabs.Panel value="files">
          <Files path={path} source={source} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** What an address is about, so that going to another tab of it leaves nothing. */
function placeIn({ id, changeSet, asOf }: ExplorerSearch & ViewSearch): string {
  return JSON.stringify([id, changeSet, asOf]);
}

function Heading({ model, kind, path, source, by, frozen }: Omit<ShownProps, "id"> & { frozen: Frozen }) {
  const t = useTexts();
  const clipboard = useClipboard();
  const [deleting, setDeleting] = useState(false);
  const { envelope } = source;
  return (
    <>
      <Group justify="space-between" align="flex-start">
        <Group gap="xs">
          <KindIcon kind={kind.name} size={22} />
          <Title order={2} title={envelope.id} style={{ overflowWrap: "anywhere" }}>
            {model.titleOf(envelope.id)}
          </Title>
          <Badge variant="light" tt="none" radius="sm">
            {kind.name}
          </Badge>
          <StagedBadge id={envelope.id} />
        </Group>
        <Group gap="xs">
          <NewMenu kinds={model.childKinds(kind)} under={envelope.id} frozen={frozen.children} />
          <Button variant="default" size="xs" onClick={() => clipboard.copy(envelope.id)}>
            {clipboard.copied ? t("explorer.copied") : t("explorer.copyId")}
          </Button>
          <ReasonButton variant="outline" color="red" size="xs" reason={frozen.delete} onClick={() => setDeleting(true)}>
            {t("common.delete")}
          </ReasonButton>
        </Group>
      </Group>
      {envelope.data.metadata?.description && <Text>{String(envelope.data.metadata.description)}</Text>}
      <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
        {t("common.revision")} {envelope.revision} · {t("common.created")} <When time={envelope.created} /> · {t("common.updated")} <When time={envelope.updated} />{by !== undefined && `, ${by}`} · {t("explorer.apiPath")} <code>{path}</code>
      </Text>
      {kind.lifecycle && <LifecyclePanel model={model} id={envelope.id} path={path} lifecycle={kind.lifecycle} />}
      <Suspense>{deleting && <DeleteDialog direct={frozen.direct} name={model.titleOf(envelope.id)} path={path} etag={envelope.etag} onClose={() => setDeleting(false)} />}</Suspense>
    </>
  );
}

function Files({ path, source }: { path: string; source: Source }) {
  return (
    <ul>
      {source.envelope.content?.map((file) => (
        <li key={file.name}>
          <Button variant="default" size="compact-sm" onClick={() => void saveFile(`${path}/content/${encodeURIComponent(file.name)}`, file.filename ?? file.name)}>
            {file.filename ?? file.name}
          </Button>{" "}
          {file.mediaType} · {file.size}
        </li>
      ))}
    </ul>
  );
}

/** Gives a file of a document to the browser to be saved; a plain link could not say who asks. */
async function saveFile(path: string, name: string): Promise<void> {
  offerFile(await (await send("GET", inView(path))).blob(), name);
}
