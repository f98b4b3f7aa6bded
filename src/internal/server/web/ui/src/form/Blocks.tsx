import { Stack } from "@mantine/core";
import { Fragment, useEffect, useRef, useState, type Key, type ReactNode } from "react";
import { isMap, isPair, isSeq } from "yaml";

const whole = 100; // so many values are all there at once
const most = 20; // values of a block
const heightOf = 68; // of a field, in pixels, until it is measured
const near = 800; // so far from the window a block is there, in pixels

/** Something in a list of fields. */
export interface Item {
  key: Key;
  values: number; // it has about so many fields
  field: ReactNode;
}

/** A list of fields, in which those far from the window are only a space where there are many, so that large documents open and are written at once. */
export function Blocks({ items }: { items: Item[] }) {
  if (items.reduce((sum, { values }) => sum + values, 0) <= whole) return items.map(({ key, field }) => <Fragment key={key}>{field}</Fragment>);
  const blocks: Item[][] = [];
  let values = most;
  for (const item of items) {
    if (values + item.values > most) {
      blocks.push([]);
      values = 0;
    }
    blocks.at(-1)?.push(item);
    values += item.values;
  }
  return blocks.map((block) => <Block key={block[0]?.key} items={block} />);
}

/** Fields that are there while they are near the window, or one of them has the focus. */
function Block({ items }: { items: Item[] }) {
  const place = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(false);
  const [height, setHeight] = useState(() => heightOf * items.reduce((sum, { values }) => sum + values, 0));
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry) return;
        if (!entry.isIntersecting && element.contains(document.activeElement)) return;
        if (!entry.isIntersecting && entry.boundingClientRect.height > 0) setHeight(entry.boundingClientRect.height);
        setShown(entry.isIntersecting);
      },
      { rootMargin: `${near}px 0px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={place} style={shown ? undefined : { height }}>
      {shown && <Stack gap="xs">{items.map(({ key, field }) => <Fragment key={key}>{field}</Fragment>)}</Stack>}
    </div>
  );
}

/** About how many fields there are for a node. */
export function valuesIn(node: unknown): number {
  if (isPair(node)) return valuesIn(node.value);
  if (!isMap(node) && !isSeq(node)) return 1;
  let sum = 1;
  for (const item of node.items) sum += valuesIn(item);
  return sum;
}
