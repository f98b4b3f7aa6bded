import { useCallback, useLayoutEffect, useRef, useState } from "react";
import type { Arrow } from "./board";
import classes from "./Board.module.css";

interface Drawn extends Arrow {
  path: string;
}

/** Draws arrows over the cards of the element that it stands in, which have data-card. What is not in the page has none. */
export function Arrows({ arrows, strong }: { arrows: Arrow[]; strong: boolean }) {
  const svg = useRef<SVGSVGElement>(null);
  const [drawn, setDrawn] = useState<Drawn[]>([]);
  const draw = useCallback(() => {
    const field = svg.current?.parentElement;
    if (!field) return;
    const origin = field.getBoundingClientRect();
    const cards = new Map([...field.querySelectorAll<HTMLElement>("[data-card]")].map((card) => [card.dataset.card ?? "", card]));
    setDrawn(arrows.flatMap((arrow) => {
      const [from, to] = [cards.get(arrow.from), cards.get(arrow.to)].map((card) => card?.getBoundingClientRect());
      return from && to ? [{ ...arrow, path: pathOf(from, to, origin) }] : [];
    }));
  }, [arrows]);
  useLayoutEffect(() => {
    draw();
    const field = svg.current?.parentElement;
    if (!field) return undefined;
    const observer = new ResizeObserver(draw);
    observer.observe(field);
    return () => observer.disconnect();
  }, [draw]);
  return (
    <svg ref={svg} className={classes.arrows} aria-hidden data-strong={strong || undefined}>
      <defs>
        <marker id="layering-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0 8 4 0 8Z" fill="context-stroke" />
        </marker>
      </defs>
      {drawn.map(({ from, to, kind, path }) => (
        <path key={`${kind} ${from} ${to}`} d={path} data-kind={kind} markerEnd="url(#layering-arrow)" />
      ))}
    </svg>
  );
}

const bend = 28;

/** From the side of a card that faces the other one; around the right side within a column. */
function pathOf(from: DOMRect, to: DOMRect, origin: DOMRect): string {
  const middle = (box: DOMRect) => box.top + box.height / 2 - origin.top;
  const [y1, y2] = [middle(from), middle(to)];
  const same = Math.abs(from.left - to.left) < from.width / 2;
  const back = to.left < from.left;
  const x1 = (same || !back ? from.right : from.left) - origin.left;
  const x2 = (same || back ? to.right : to.left) - origin.left;
  const [c1, c2] = same ? [x1 + bend, x2 + bend] : back ? [x1 - bend, x2 + bend] : [x1 + bend, x2 - bend];
  return `M${x1} ${y1}C${c1} ${y1} ${c2} ${y2} ${x2} ${y2}`;
}
