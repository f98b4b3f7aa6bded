import { Button, Checkbox, Group, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { readGraph, type Graph } from "../api/documents";
import { useTexts } from "../i18n/texts";
import { nameOf } from "../model/ids";
import { DocumentLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { fold } from "./fold";
import Picture from "./Picture";

const route = getRouteApi("/explorer");
const depths = ["1", "2", "3"];
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
  const steps = depths.find((d) => d === depth) ?? "1";
  const graph = useQuery({ queryKey: ["graph", path, steps], queryFn: () => readGraph(path, steps) });
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const [unfolded, setUnfolded] = useState<{ of: string; groups: ReadonlySet<string> }>({ of: id, groups: none });
  const groups = unfolded.of === id ? unfolded.groups : none;
  const drawn = useMemo(() => {
    if (!graph.data) return undefined;
    const { nodes, edges } = picture(graph.data, id, hidden);
    return fold(nodes, edges, groups, (kind, n) => `${n} × ${kind}`);
  }, [graph.data, id, hidden, groups]);
  const open = (next: string) => {
    if (drawn?.folded.has(next)) setUnfolded({ of: id, groups: new Set([...groups, next]) });
    else void navigate({ search: (before) => ({ ...before, id: next }) });
  };
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Text size="sm" id="graph-depth">
          {t("graph.graphDepth")}
        </Text>
        <SegmentedControl aria-labelledby="graph-depth" size="xs" value={steps} data={depths} onChange={(next) => void navigate({ search: (before) => ({ ...before, depth: next }) })} />
        {relations.map((relation) => (
          <Checkbox key={relation} size="xs" checked={!hidden.includes(relation)} label={relation === "parent" ? `┄ ${t("common.graphParent")}` : `─ ${t("common.graphReference")}`}
            onChange={(event) => setHidden(event.currentTarget.checked ? hidden.filter((other) => other !== relation) : [...hidden, relation])} />
        ))}
        {groups.size > 0 && <Button variant="default" size="compact-xs" onClick={() => setUnfolded({ of: id, groups: none })}>{t("graph.graphFold")}</Button>}
      </Group>
      {graph.isPending && <Text role="status">{t("common.loading")}</Text>}
      {graph.isError && <ProblemAlert error={graph.error} />}
      {graph.data?.more && <Text role="status">{t("graph.graphCut", { n: graph.data.nodes.length })}</Text>}
      {drawn && <Picture label={t("graph.graphOf", { id })} nodes={drawn.nodes} edges={drawn.edges} onOpen={open} />}
      {graph.data && <Words graph={graph.data} />}
    </Stack>
  );
}

const none: ReadonlySet<string> = new Set();

/** What is connected with the document when some relations are hidden. */
function picture(graph: Graph, id: string, hidden: readonly string[]) {
  const edges = graph.edges.filter(({ relation }) => !hidden.includes(relation));
  const near = new Set([id]);
  for (let before = 0; before < near.size; ) {
    before = near.size;
    for (const { from, to } of edges) {
      if (near.has(from) || near.has(to)) near.add(from).add(to);
    }
  }
  return {
    nodes: graph.nodes.filter((node) => near.has(node.id)).map((node) => ({ id: node.id, title: nameOf(node.id), note: node.kind, main: node.id === id, more: node.more })),
    edges: edges.filter(({ from }) => near.has(from)).map(({ from, to, relation }) => ({ from, to, dashed: relation === "parent" })),
  };
}

function Words({ graph }: { graph: Graph }) {
  const t = useTexts();
  return (
    <details>
      <Title order={3} size="h5" component="summary">
        {t("graph.graphAsList")}
      </Title>
      <ul>
        {graph.edges.map(({ from, to, relation }) => (
          <li key={`${from} ${relation} ${to}`}>
            <DocumentLink id={from} /> {relation === "parent" ? t("common.graphParent") : t("common.graphReference")} <DocumentLink id={to} />
          </li>
        ))}
      </ul>
    </details>
  );
}
