import { Group, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { readGraph, type Graph } from "../api/documents";
import { useTexts } from "../i18n/texts";
import { nameOf } from "../model/ids";
import { DocumentLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import Picture from "./Picture";

const route = getRouteApi("/explorer");
const depths = ["1", "2", "3"];

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
  const drawn = useMemo(() => graph.data && picture(graph.data, id), [graph.data, id]);
  const open = (next: string) => void navigate({ search: (before) => ({ ...before, id: next }) });
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Text size="sm" id="graph-depth">
          {t.graphDepth}
        </Text>
        <SegmentedControl aria-labelledby="graph-depth" size="xs" value={steps} data={depths} onChange={(next) => void navigate({ search: (before) => ({ ...before, depth: next }) })} />
        <Text size="sm" c="dimmed">
          ─ {t.graphReference} · ┄ {t.graphParent}
        </Text>
      </Group>
      {graph.isPending && <Text role="status">{t.loading}</Text>}
      {graph.isError && <ProblemAlert error={graph.error} />}
      {graph.data?.more && <Text role="status">{t.graphCut(graph.data.nodes.length)}</Text>}
      {drawn && <Picture label={t.graphOf(id)} nodes={drawn.nodes} edges={drawn.edges} onOpen={open} />}
      {graph.data && <Words graph={graph.data} />}
    </Stack>
  );
}

function picture(graph: Graph, id: string) {
  return {
    nodes: graph.nodes.map((node) => ({ id: node.id, title: nameOf(node.id), note: node.kind, main: node.id === id })),
    edges: graph.edges.map(({ from, to, relation }) => ({ from, to, dashed: relation === "parent" })),
  };
}

function Words({ graph }: { graph: Graph }) {
  const t = useTexts();
  return (
    <details>
      <Title order={3} size="h5" component="summary">
        {t.graphAsList}
      </Title>
      <ul>
        {graph.edges.map(({ from, to, relation }) => (
          <li key={`${from} ${relation} ${to}`}>
            <DocumentLink id={from} /> {relation === "parent" ? t.graphParent : t.graphReference} <DocumentLink id={to} />
          </li>
        ))}
      </ul>
    </details>
  );
}
