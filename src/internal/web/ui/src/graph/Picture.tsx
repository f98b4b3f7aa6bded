import "@xyflow/react/dist/style.css";
import { useComputedColorScheme } from "@mantine/core";
import { Background, Controls, Handle, MarkerType, MiniMap, Position, ReactFlow, type Edge, type Node, type NodeProps, type ReactFlowInstance } from "@xyflow/react";
import { useMemo, useRef } from "react";
import { useTexts } from "../i18n/texts";
import { layOut } from "./layout";
import classes from "./Picture.module.css";

/** A box of a picture: what it is called, and in small letters what it is. */
export interface PictureNode {
  id: string;
  title: string;
  note: string;
  main?: boolean; // the one that the picture is about
  many?: boolean; // it stands for many
  more?: boolean; // it is connected with others that the picture leaves out
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
  whole?: boolean; // it is as high as it needs to be, and scrolls with the page
}

type BoxNode = Node<{ title: string; note: string; main: boolean; many: boolean; more: boolean; width: number }, "box">;

const boxHeight = 46;
const nodeTypes = { box: BoxView };
const widest = 1500; // of a row, in pixels: it can be read when it is shown whole on 1280
const readable = 0.75; // texts can be read at this scale
const mapFrom = 40; // so many boxes have a map

/**
 * A picture of boxes and arrows, laid out by itself. A click, or Enter on a box that has the focus, opens it. It begins at a scale at which
 * it can be read: all of it where it fits, otherwise what it is about.
 */
export default function Picture({ label, nodes, edges, onOpen, boxWidth = 180, height, whole = false }: Props) {
  const t = useTexts();
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const drawn = useMemo(() => draw(nodes, edges, boxWidth), [nodes, edges, boxWidth]);
  const area = useRef<HTMLElement>(null);
  /** Shows all, or where that is too small to read, what the picture is about, else its beginning. */
  const show = (flow: ReactFlowInstance<BoxNode>) => {
    const { clientWidth, clientHeight } = area.current ?? { clientWidth: 0, clientHeight: 0 };
    const scale = Math.min(1, clientWidth / (drawn.width + 2 * margin), clientHeight / (drawn.height + 2 * margin));
    if (scale >= readable) return void flow.fitView({ maxZoom: 1 });
    const main = drawn.nodes.find(({ data }) => data.main);
    const x = main ? main.position.x + boxWidth / 2 : drawn.width / 2;
    const y = main ? main.position.y + boxHeight / 2 : 0;
    return void flow.setCenter(within(x, drawn.width, clientWidth / readable), within(y, drawn.height, clientHeight / readable), { zoom: readable });
  };
  return (
    <section ref={area} className={classes.picture} aria-label={label} style={{ height: whole ? `max(30vh, ${Math.ceil((drawn.height + 2 * margin) * readable)}px)` : height }}>
      <ReactFlow
        key={drawn.key}
        defaultNodes={drawn.nodes}
        defaultEdges={drawn.edges}
        nodeTypes={nodeTypes}
        colorMode={scheme}
        onInit={show}
        minZoom={0.05}
        zoomOnScroll={!whole}
        preventScrolling={!whole}
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
        ariaLabelConfig={{ "node.a11yDescription.default": t("graph.graphKeys"), "node.a11yDescription.keyboardDisabled": t("graph.graphKeys") }}
      >
        <Background />
        <Controls showInteractive={false} />
        {drawn.nodes.length >= mapFrom && !whole && <MiniMap pannable zoomable ariaLabel={t("graph.graphMap")} nodeColor={scheme === "dark" ? "#868e96" : "#adb5bd"} />}
      </ReactFlow>
    </section>
  );
}

function BoxView({ data }: NodeProps<BoxNode>) {
  const t = useTexts();
  return (
    <div className={classes.box} data-main={data.main || undefined} data-many={data.many || undefined} style={{ width: data.width, height: boxHeight }}>
      <Handle type="target" position={Position.Bottom} className={classes.handle} />
      <div className={classes.title} title={data.title}>
        {data.title}
      </div>
      <div className={classes.note} title={data.note}>
        {data.note}
        {data.more && ` · ${t("graph.graphMore")}`}
      </div>
      <Handle type="source" position={Position.Top} className={classes.handle} />
    </div>
  );
}

const margin = 24; // around a picture, in its pixels

/** The middle of what is shown of a length, so that it shows nothing but that and its margins. */
function within(middle: number, length: number, shown: number): number {
  const first = shown / 2 - margin;
  const last = length - first;
  return first >= last ? length / 2 : Math.min(Math.max(middle, first), last);
}

function draw(nodes: PictureNode[], edges: PictureEdge[], width: number) {
  const { places, ...size } = layOut(
    nodes.map(({ id }) => ({ id, width, height: boxHeight })),
    edges,
    widest,
  );
  const boxes: BoxNode[] = nodes.map(({ id, title, note, main = false, many = false, more = false }) => ({
    id,
    type: "box",
    position: places.get(id) ?? { x: 0, y: 0 },
    width,
    height: boxHeight,
    data: { title, note, main, many, more, width },
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
  return { ...size, nodes: boxes, edges: arrows, key: boxes.map((box) => box.id).join(" ") };
}
