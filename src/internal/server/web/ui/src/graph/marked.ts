import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { planDeletion, type Graph } from "../api/documents";
import { graphQuery } from "../api/queries";
import { changeSet } from "../api/view";
import { arrowKey, type Highlight } from "./highlight";
import { dependentsOf, pathBetween, union } from "./walk";

/** What can be marked in the graph: what a deletion with cascade takes along, and all that depends on the document. */
export const marks = ["deleted", "dependent"] as const;

interface Wish {
  path: string;
  id: string;
  to: string; // the end of a path that is sought; "" without one
  targetPath?: string; // where the API has it
  mark?: (typeof marks)[number];
  graph?: Graph;
}

interface Marked {
  graph?: Graph; // with the documents of the path that are further away
  path?: string[];
  sought: boolean; // whether a path was looked for, and it is known whether there is one
  highlight?: Highlight;
  total: number; // of the documents that are marked, also outside the graph
  error: Error | null;
}

/** How far a path is sought from both its ends. */
const reach = "3";

/** What stands out in a graph, as one wishes. */
export function useMarked({ path, id, to, targetPath, mark, graph }: Wish): Marked {
  const seeks = to !== "" && targetPath !== undefined;
  const near = useQuery({ ...graphQuery(path, reach), enabled: seeks });
  const far = useQuery({ ...graphQuery(targetPath ?? "", reach), enabled: seeks });
  const plan = useQuery({ queryKey: ["deletion plan", path, changeSet()], queryFn: () => planDeletion(path, changeSet()), enabled: mark === "deleted" });
  return useMemo(() => {
    const error = near.error ?? far.error ?? plan.error;
    if (!graph) return { sought: false, total: 0, error };
    if (seeks && near.data && far.data) {
      const both = union(near.data, far.data);
      const found = pathBetween(both.edges, id, to);
      if (!found) return { graph, sought: true, total: 0, error };
      const on = new Set(found);
      const all = union(graph, { nodes: both.nodes.filter((node) => on.has(node.id)), edges: both.edges.filter(({ from, to: end }) => on.has(from) && on.has(end)) });
      const arrows = new Set(found.slice(1).map((next, i) => arrowKey(found[i] ?? "", next)));
      return { graph: all, path: found, sought: true, highlight: { tone: "path", ids: on, arrows }, total: found.length, error };
    }
    if (mark === "deleted" && plan.data) {
      return { graph, sought: false, highlight: { tone: "deleted", ids: new Set([id, ...plan.data.deleted.map((one) => one.id)]) }, total: plan.data.total, error };
    }
    if (mark === "dependent") {
      const ids = dependentsOf(graph.edges, id);
      return { graph, sought: false, highlight: { tone: "dependent", ids }, total: ids.size, error };
    }
    return { graph, sought: false, total: 0, error };
  }, [graph, seeks, near.data, near.error, far.data, far.error, plan.data, plan.error, mark, id, to]);
}
