import { BaseEdge, EdgeLabelRenderer, type EdgeProps, type NodeProps } from "@xyflow/react";
import { useTexts } from "../i18n/texts";
import { pathOf, type BoxNode, type FrameNode, type RouteEdge } from "./draw";
import { useTone } from "./highlight";
import classes from "./Picture.module.css";

/** What pictures are made of, by the names of React Flow. */
export const nodeTypes = { box: BoxView, frame: FrameView };
export const edgeTypes = { route: RouteView };

function BoxView({ id, data, width, height }: NodeProps<BoxNode>) {
  const t = useTexts();
  return (
    <div className={classes.box} data-main={data.main || undefined} data-many={data.many || undefined} data-tone={useTone([id])} style={{ width, height }}>
      <div className={classes.title} title={data.title}>
        {data.title}
      </div>
      <div className={classes.note} title={data.note}>
        {data.note}
        {data.more && ` · ${t("graph.graphMore")}`}
      </div>
    </div>
  );
}

function FrameView({ data, width, height }: NodeProps<FrameNode>) {
  return (
    <div className={classes.frame} style={{ width, height }}>
      {data.title}
    </div>
  );
}

function RouteView({ id, source, target, data, label, style, markerEnd }: EdgeProps<RouteEdge>) {
  const { points = [], at } = data ?? {};
  return (
    <>
      <g className={classes.route} data-tone={useTone([source, target])}>
        <BaseEdge id={id} path={pathOf(points)} style={style} markerEnd={markerEnd} />
      </g>
      {label && at && (
        <EdgeLabelRenderer>
          <div className={classes.label} style={{ transform: `translate(-50%, -50%) translate(${at.x}px, ${at.y}px)` }}>
            {label}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
}
