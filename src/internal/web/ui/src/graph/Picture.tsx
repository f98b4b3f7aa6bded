import "@xyflow/react/dist/style.css";
import { useComputedColorScheme } from "@mantine/core";
import { Background, Controls, Handle, MarkerType, Position, ReactFlow, type Edge, type Node, type NodeProps } from "@xyflow/react";
import { useMemo } from "react";
import { useTexts } from "../i18n/texts";
import { layOut } from "./layout";
import classes from "./Picture.module.css";

/** A box of a picture: what it is called, and in small letters what it is. */
export interface PictureNode {
  id: string;
  title: string;
  note: string;
  main?: boolean; // the one that the picture is about
}

/** An arrow of a picture. */
export interface PictureEdge {
  from: string;
  to: string;
  label?: string;
  dashed?: boolean;
}

interface Props {
  label: string; // for those who cannot see it
  nodes: PictureNode[];
  edges: PictureEdge[];
  onOpen: (id: string) => void;
  boxWidth?: number; // in pixels
  height?: string;
}

type BoxNode = Node<{ title: string; note: string; main: boolean; width: number }, "box">;

const boxHeight = 46;
const nodeTypes = { box: BoxView };

/** A picture of boxes and arrows, laid out by itself. A click, or Enter on a box that has the focus, opens it. */
export default function Picture({ label, nodes, edges, onOpen, boxWidth = 180, height }: Props) {
  const t = useTexts();
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const drawn = useMemo(() => draw(nodes, edges, boxWidth), [nodes, edges, boxWidth]);
  return (
    <section className={classes.picture} aria-label={label} style={{ height }}>
      <ReactFlow
        key={drawn.key}
        defaultNodes={drawn.nodes}
        defaultEdges={drawn.edges}
        nodeTypes={nodeTypes}
        colorMode={scheme}
        fitView
        fitViewOptions={{ maxZoom: 1 }}
        minZoom={0.05}
        onlyRenderVisibleElements={drawn.nodes.length > 200}
        nodesConnectable={false}
        edgesFocusable={false}
        deleteKeyCode={null}
        proOptions={{ hideAttribution: true }}
        onNodeClick={(_, node) => onOpen(node.id)}
        onKeyDown={(event) => {
          const id = event.target instanceof HTMLElement ? event.target.dataset.id : undefined;
          if (event.key === "Enter" && id !== undefined) onOpen(id);
        }}
        ariaLabelConfig={{ "node.a11yDescription.default": t.graphKeys, "node.a11yDescription.keyboardDisabled": t.graphKeys }}
      >
        <Background />
        <Controls showInteractive={false} />
      </ReactFlow>
    </section>
  );
}

function BoxView({ data }: NodeProps<BoxNode>) {
  return (
    <div className={classes.box} data-main={data.main || undefined} style={{ width: data.width, height: boxHeight }}>
      <Handle type="target" position={Position.Bottom} className={classes.handle} />
      <div className={classes.title} title={data.title}>
        {data.title}
      </div>
      <div className={classes.note} title={data.note}>
        {data.note}
      </div>
      <Handle type="source" position={Position.Top} className={classes.handle} />
    </div>
  );
}

function draw(nodes: PictureNode[], edges: PictureEdge[], width: number) {
  const places = layOut(
    nodes.map(({ id }) => ({ id, width, height: boxHeight })),
    edges,
  );
  const boxes: BoxNode[] = nodes.map(({ id, title, note, main = false }) => ({
    id,
    type: "box",
    position: places.get(id) ?? { x: 0, y: 0 },
    width,
    height: boxHeight,
    data: { title, note, main, width },
    ariaLabel: `${title}, ${note}`,
  }));
  const arrows: Edge[] = edges.map(({ from, to, label, dashed }, i) => ({
    id: `${i} ${from} ${to}`,
    source: from,
    target: to,
    label,
    style: dashed ? { strokeDasharray: "5 4" } : undefined,
    markerEnd: { type: MarkerType.ArrowClosed },
  }));
  return { nodes: boxes, edges: arrows, key: boxes.map((box) => box.id).join(" ") };
}
