import "@xyflow/react/dist/style.css";
import { Alert, Text, useComputedColorScheme } from "@mantine/core";
import { Background, Controls, MiniMap, ReactFlow, type ReactFlowInstance } from "@xyflow/react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTexts } from "../i18n/texts";
import { boxHeight, draw, type BoxNode, type FrameNode, type RouteEdge } from "./draw";
import { layoutEngine } from "./engine";
import { arrange, type Arrangement } from "./frames";
import { HighlightContext, withFrames, type Highlight } from "./highlight";
import { layOut, type Box, type Layout, type Shape } from "./layout";
import type { PictureEdge, PictureNode } from "./model";
import { edgeTypes, nodeTypes } from "./parts";
import classes from "./Picture.module.css";

interface Props {
  label: string; // for those who cannot see it
  nodes: PictureNode[];
  edges: PictureEdge[];
  onOpen: (id: string) => void;
  boxWidth?: number; // in pixels, at most
  height?: string;
  whole?: boolean; // it is as high as it needs to be, and scrolls with the page
  down?: boolean; // what refers stands below what is referred to, not beside it
  frameFrom?: number; // so many siblings have a frame
  highlight?: Highlight;
}

const readable = 11 / 12; // texts are 12 pixels high, and can be read at 11
const mapFrom = 40; // so many boxes have a map
const margin = 20; // around a picture, in its pixels

/**
 * A picture of boxes and arrows, laid out by itself. A click, or Enter on a box that has the focus, opens it. It begins at a scale at which
 * it can be read: all of it where it fits, otherwise what it is about.
 */
export default function Picture({ label, nodes, edges, onOpen, boxWidth = 180, height, whole = false, down = false, frameFrom = 6, highlight }: Props) {
  const t = useTexts();
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const area = useRef<HTMLElement>(null);
  const { drawn, error } = useDrawing(nodes, edges, { boxWidth, frameFrom, whole, down }, area);
  const shown = useMemo(() => highlight && drawn && withFrames(highlight, drawn.arrangement), [highlight, drawn]);
  /** Shows all, or where that is too small to read, what the picture is about, else its beginning. */
  const show = (flow: ReactFlowInstance<BoxNode | FrameNode, RouteEdge>) => {
    if (!drawn) return;
    const { clientWidth, clientHeight } = area.current ?? { clientWidth: 0, clientHeight: 0 };
    const fits = Math.min(1, clientWidth / (drawn.width + 2 * margin), clientHeight / (drawn.height + 2 * margin));
    const zoom = fits >= readable ? fits : whole ? 1 : readable;
    const main = drawn.nodes.find((node): node is BoxNode => node.type === "box" && node.data.main);
    const x = main ? main.position.x + (main.width ?? 0) / 2 : 0;
    const y = main ? main.position.y + boxHeight / 2 : 0;
    void flow.setCenter(within(x, drawn.width, clientWidth / zoom), within(y, drawn.height, clientHeight / zoom), { zoom });
  };
  return (
    <section ref={area} className={classes.picture} aria-label={label} aria-busy={!drawn && !error} style={{ height: whole && drawn ? `max(30vh, ${Math.ceil(drawn.height + 2 * margin)}px)` : height }}>
      {error && <Alert color="red" title={t("graph.graphFailed")}>{error}</Alert>}
      {!drawn && !error && <Text role="status" p="sm">{t("common.loading")}</Text>}
      {drawn && (
        <HighlightContext value={shown}>
          <ReactFlow
            key={drawn.key}
            defaultNodes={drawn.nodes}
            defaultEdges={drawn.edges}
            nodeTypes={nodeTypes}
            edgeTypes={edgeTypes}
            colorMode={scheme}
            onInit={show}
            minZoom={0.05}
            zoomOnScroll={!whole}
            preventScrolling={!whole}
            onlyRenderVisibleElements={drawn.nodes.length > 200}
            nodesDraggable={false}
            nodesConnectable={false}
            edgesFocusable={false}
            deleteKeyCode={null}
            proOptions={{ hideAttribution: true }}
            onNodeClick={(_, node) => node.type === "box" && onOpen(node.id)}
            onKeyDown={(event) => {
              const id = event.target instanceof HTMLElement ? event.target.dataset.id : undefined;
              if (event.key === "Enter" && id !== undefined) onOpen(id);
            }}
            ariaLabelConfig={{ "node.a11yDescription.default": t("graph.graphKeys"), "node.a11yDescription.keyboardDisabled": t("graph.graphKeys") }}
          >
            <Background />
            <Controls showInteractive={false} />
            {drawn.nodes.length >= mapFrom && !whole && <MiniMap pannable zoomable ariaLabel={t("graph.graphMap")} nodeColor={(node) => (node.type === "frame" ? "transparent" : scheme === "dark" ? "#868e96" : "#adb5bd")} />}
          </ReactFlow>
        </HighlightContext>
      )}
    </section>
  );
}

interface Look {
  boxWidth: number;
  frameFrom: number;
  whole: boolean;
  down: boolean;
}

interface Drawing {
  nodes: (BoxNode | FrameNode)[];
  edges: RouteEdge[];
  arrangement: Arrangement;
  width: number;
  height: number;
  key: string;
}

/** Lays a picture out, beside the page. What was drawn before stays until that is done. */
function useDrawing(nodes: PictureNode[], edges: PictureEdge[], { boxWidth, frameFrom, whole, down }: Look, area: { current: HTMLElement | null }) {
  const [done, setDone] = useState<{ drawn?: Drawing; error?: string }>({});
  const arrangement = useMemo(() => arrange(nodes, edges, frameFrom, !whole && !down), [nodes, edges, frameFrom, whole, down]);
  useEffect(() => {
    let current = true;
    const widthOf = (node: PictureNode) => (whole ? naturalWidth(node, boxWidth) : boxWidth);
    const boxes = nodes.map((node) => ({ id: node.id, width: widthOf(node), height: boxHeight }));
    const width = (area.current?.clientWidth ?? 0) - 2 * margin;
    const lay = async () => {
      try {
        const layout = await bestLayout(boxes, edges, arrangement, shapesOf(whole, down), width);
        if (current) setDone({ drawn: { ...draw(nodes, edges, arrangement, layout, widthOf), arrangement, width: layout.width, height: layout.height, key: `${nodes.map(({ id }) => id).join(" ")} ${edges.length}` } });
      } catch (error) {
        if (current) setDone({ error: error instanceof Error ? error.message : String(error) });
      }
    };
    void lay();
    return () => {
      current = false;
    };
  }, [nodes, edges, arrangement, boxWidth, whole, down, area]);
  return done;
}

/** The shapes that come into question. One that is shown whole may have any, so that it fits. */
function shapesOf(whole: boolean, down: boolean): Shape[] {
  if (!whole) return [{ direction: down ? "DOWN" : "RIGHT", columns: 7 }];
  const ratio = 0.6; // it scrolls with the page, which is higher than wide
  return [...[1, 2, 3].map((columns): Shape => ({ direction: "RIGHT", columns, ratio })), ...[2, 3, 4].map((bound): Shape => ({ direction: "DOWN", columns: 2, bound, ratio }))];
}

/** The lowest layout that is not too wide, else the narrowest. */
async function bestLayout(boxes: Box[], edges: PictureEdge[], arrangement: Arrangement, shapes: Shape[], width: number): Promise<Layout> {
  const arrows = edges.map(({ from, to, label }) => ({ from, to, label: label === undefined ? undefined : { width: Math.min(labelWidth, 24 + 6.5 * label.length), height: 18 * Math.ceil((24 + 6.5 * label.length) / labelWidth) } }));
  const layouts = await Promise.all(shapes.map((shape) => layOut(layoutEngine, boxes, arrows, arrangement, shape)));
  const [best] = layouts.sort((a, b) => Math.max(a.width, width) - Math.max(b.width, width) || a.height - b.height);
  if (best === undefined) throw new Error("no layout");
  return best;
}

const labelWidth = 240; // of an arrow, at most

const pen = document.createElement("canvas").getContext("2d");

/** The width of a box whose texts are not cut. */
function naturalWidth({ title, note }: PictureNode, most: number): number {
  const measure = (font: string, text: string) => {
    if (!pen) return most;
    pen.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
    return pen.measureText(text).width;
  };
  return Math.min(most, Math.ceil(Math.max(70, measure("600 13px", title), measure("12px", note))) + 22);
}

/** The middle of what is shown of a length, so that it shows nothing but that and its margins. */
function within(middle: number, length: number, shown: number): number {
  const first = shown / 2 - margin;
  const last = length - first;
  return first >= last ? length / 2 : Math.min(Math.max(middle, first), last);
}
