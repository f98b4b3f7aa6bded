import { Button, Checkbox, Group, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import type { Graph } from "../api/documents";
import { graphDepths, graphQuery, modelQuery } from "../api/queries";
import { useTexts } from "../i18n/texts";
import { nameOf } from "../model/ids";
import { DocumentLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { layoutEngine } from "./engine";
import { fold } from "./fold";
import { marks, useMarked } from "./marked";
import { PathField, PathInWords } from "./PathFinder";
import Picture from "./Picture";

const route = getRouteApi("/explorer");
const relations = ["parent", "reference"] as const;

interface Props {
  path: string;
  id: string;
  depth?: string;
}

/** What is a few steps around a document: a picture, and below it the same in words. */
export default function Neighbourhood({ path, id, depth }: Props) {
  const t = useTexts();
  const navigate = route.useNavigate();
  const { to = "", mark } = route.useSearch();
  const steps = graphDepths.find((known) => known === depth) ?? "1";
  const model = useQuery(modelQuery).data;
  const read = useQuery(graphQuery(path, steps));
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const [unfolded, setUnfolded] = useState<{ of: string; open: ReadonlySet<string> }>({ of: id, open: none });
  const open = unfolded.of === id ? unfolded.open : none;
  useEffect(() => void layoutEngine(), []); // it starts while the graph is read
  const marked = useMarked({ path, id, to, mark: marks.find((known) => known === mark), graph: read.data, targetPath: model?.itemPath(to) });
  const graph = marked.graph;
  const drawn = useMemo(() => {
    if (!graph) return undefined;
    const { nodes, edges } = picture(graph, id, hidden, (other) => model?.titleOf(other) ?? nameOf(other));
    return fold(nodes, edges, marked.path ? new Set([...open, ...marked.path]) : open, (kind, n) => `${n} × ${kind}`);
  }, [graph, id, hidden, open, model, marked.path]);
  const highlight = useMemo(() => {
    const { highlight: those } = marked;
    if (!those || !drawn) return undefined;
    const boxes = [...drawn.folded.values()].filter(({ members }) => members.some((member) => those.ids.has(member)));
    return { ...those, ids: new Set([...those.ids, ...boxes.map((box) => box.id)]) };
  }, [marked, drawn]);
  const go = (next: string) => {
    const box = drawn?.folded.get(next);
    if (box) setUnfolded({ of: id, open: new Set([...open, ...box.members]) });
    else void navigate({ search: (before) => ({ ...before, id: next }) });
  };
  const words = { deleted: t("graph.graphDeleted"), dependent: t("graph.graphDependent") } as const;
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Text size="sm" id="graph-depth">
          {t("graph.graphDepth")}
        </Text>
        <SegmentedControl aria-labelledby="graph-depth" size="xs" value={steps} data={graphDepths} onChange={(next) => void navigate({ search: (before) => ({ ...before, depth: next }) })} />
        {relations.map((relation) => (
          <Checkbox key={relation} size="xs" checked={!hidden.includes(relation)} label={relation === "parent" ? `┄ ${t("common.graphParent")}` : `─ ${t("common.graphReference")}`}
            onChange={(event) => setHidden(event.currentTarget.checked ? hidden.filter((other) => other !== relation) : [...hidden, relation])} />
        ))}
        <SegmentedControl aria-label={t("graph.graphMark")} size="xs" value={marks.find((known) => known === mark) ?? ""} data={[{ value: "", label: t("graph.graphNoMark") }, ...marks.map((value) => ({ value, label: words[value] }))]}
          onChange={(next) => void navigate({ search: (before) => ({ ...before, mark: next || undefined, to: undefined }) })} />
        <PathField key={to} to={to} onChoose={(next) => void navigate({ search: (before) => ({ ...before, to: next, mark: undefined }) })} />
        {open.size > 0 && <Button variant="default" size="compact-xs" onClick={() => setUnfolded({ of: id, open: none })}>{t("graph.graphFold")}</Button>}
      </Group>
      {read.isPending && <Text role="status">{t("common.loading")}</Text>}
      {read.isError && <ProblemAlert error={read.error} />}
      {marked.error && <ProblemAlert error={marked.error} />}
      {read.data?.more && <Text role="status">{t("graph.graphCut", { n: read.data.nodes.length })}</Text>}
      {marked.sought && !marked.path && <Text role="status">{t("graph.graphNoPath")}</Text>}
      {model && graph && marked.path && <PathInWords model={model} graph={graph} path={marked.path} />}
      {marked.highlight && mark && <Text role="status" size="sm">{marked.total <= 1 ? t("graph.graphNoneMarked") : mark === "deleted" ? t("graph.graphDeletedMore", { n: marked.total - 1 }) : t("graph.graphDependents", { n: marked.total - 1 })}</Text>}
      {drawn && <Picture label={t("graph.graphOf", { id })} nodes={drawn.nodes} edges={drawn.edges} onOpen={go} highlight={highlight} />}
      {graph && <Words graph={graph} />}
    </Stack>
  );
}

const none: ReadonlySet<string> = new Set();

/** What is connected with the document when some relations are hidden. */
function picture(graph: Graph, id: string, hidden: readonly string[], titleOf: (id: string) => string) {
  const edges = graph.edges.filter(({ relation }) => !hidden.includes(relation));
  const near = new Set([id]);
  for (let before = 0; before < near.size; ) {
    before = near.size;
    for (const { from, to } of edges) {
      if (near.has(from) || near.has(to)) near.add(from).add(to);
    }
  }
  return {
    nodes: graph.nodes.filter((node) => near.has(node.id)).map((node) => ({ id: node.id, title: titleOf(node.id), note: node.kind, main: node.id === id, more: node.more })),
    edges: edges.filter(({ from }) => near.has(from)).map(({ from, to, relation }) => ({ from, to, dashed: relation === "parent" })),
  };
}

/** The same in words, which are made when they are asked for: a thousand links take longer than the picture. */
function Words({ graph }: { graph: Graph }) {
  const t = useTexts();
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <Title order={3} size="h5" component="summary">
        {t("graph.graphAsList")}
      </Title>
      {open && (
        <ul>
          {graph.edges.map(({ from, to, relation }) => (
            <li key={`${from} ${relation} ${to}`}>
              <DocumentLink id={from} /> {relation === "parent" ? t("common.graphParent") : t("common.graphReference")} <DocumentLink id={to} />
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
