import type { Branch, Frame } from "./frames";

/** A point of a picture, in pixels. */
export interface Place {
  x: number;
  y: number;
}

/** A part of a picture, in pixels. */
export interface Area extends Place {
  width: number;
  height: number;
}

/** What is placed as a whole: where its boxes and frames are in it, and how large it is. */
export interface Block {
  places: Map<string, Place>;
  areas: Map<string, Area>;
  width: number;
  height: number;
}

export const gap = 14; // between boxes
export const between = 44; // what refers to something, and that
const inset = 12; // of a frame
const headHeight = 26; // of a frame, for its name

interface Size {
  width: number;
  height: number;
}

/** A box with what hangs on it to its right. */
export function branchBlock({ id, below }: Branch, sizes: ReadonlyMap<string, Size>, columns: number): Block {
  const box = sizes.get(id) ?? { width: 0, height: 0 };
  const block: Block = { places: new Map(), areas: new Map(), ...box };
  const x = box.width + between;
  let y = 0;
  for (const part of below) {
    const inner = "members" in part ? frameBlock(part, sizes, columns) : branchBlock(part, sizes, columns);
    put(block, inner, x, y);
    y += inner.height + gap;
  }
  block.height = Math.max(box.height, y - gap);
  block.places.set(id, { x: 0, y: (block.height - box.height) / 2 });
  return block;
}

/** Rows of branches below the name of their frame, about twice as wide as high where the columns, of plain boxes, allow. */
export function frameBlock({ id, members }: Frame, sizes: ReadonlyMap<string, Size>, columns: number): Block {
  const cells = members.map((member) => branchBlock(member, sizes, Math.max(1, Math.floor(columns / 2))));
  const plain = Math.max(...members.map((member) => sizes.get(member.id)?.width ?? 0), 0) + gap;
  const width = Math.max(...cells.map((cell) => cell.width), 0) + gap;
  const height = cells.reduce((sum, cell) => sum + cell.height + gap, 0) / Math.max(1, cells.length);
  const most = Math.max(1, Math.floor((columns * plain) / width));
  const inRow = Math.max(1, Math.min(most, Math.round(Math.sqrt((2 * cells.length * height) / width)), cells.length));
  const block: Block = { places: new Map(), areas: new Map(), width: inRow * width - gap + 2 * inset, height: 0 };
  let y = headHeight;
  for (let first = 0; first < cells.length; first += inRow) {
    const row = cells.slice(first, first + inRow);
    for (const [i, cell] of row.entries()) put(block, cell, inset + i * width, y);
    y += Math.max(...row.map((cell) => cell.height)) + gap;
  }
  block.height = y - gap + inset;
  block.areas = new Map([[id, { x: 0, y: 0, width: block.width, height: block.height }], ...block.areas]);
  return block;
}

/** Puts a block into another, which becomes as large as it needs to be. */
export function put(into: Block, block: Block, x: number, y: number): void {
  for (const [id, place] of block.places) into.places.set(id, { x: x + place.x, y: y + place.y });
  for (const [id, area] of block.areas) into.areas.set(id, { ...area, x: x + area.x, y: y + area.y });
  into.width = Math.max(into.width, x + block.width);
  into.height = Math.max(into.height, y + block.height);
}

/** The points of an arrow to what stands to the left of it, at most a rank away. */
export function routeLeft(from: Area, to: Area): Place[] {
  const [y, end] = [from.y + from.height / 2, to.y + to.height / 2];
  const right = to.x + to.width;
  const turn = right + between / 2;
  return y === end ? [{ x: from.x, y }, { x: right, y }] : [{ x: from.x, y }, { x: turn, y }, { x: turn, y: end }, { x: right, y: end }];
}
