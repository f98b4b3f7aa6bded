import { hoverTooltip, type Tooltip } from "@codemirror/view";
import { isNode, isMap, isScalar, parseDocument, type Document } from "yaml";
import type { Path } from "../model/paths";
import type { Offer } from "./context";

/** What a document is that a text refers to. */
export interface Target {
  id: string;
  lines: string[]; // what is said of it
}

/** What an editor knows of the references of a text. */
export interface ReferenceHelp {
  /** What can be written at a path; empty where no reference stands there. */
  offers: (path: Path, data: unknown) => Promise<Offer[]>;
  /** Where references stand in data, and to which documents. */
  targets: (data: unknown) => { path: Path; id: string; name: boolean }[];
  about: (id: string) => Promise<Target>;
}

/** The data of a text as far as it can be read. */
export function dataOf(document: Document): unknown {
  try {
    return document.toJS();
  } catch {
    return undefined;
  }
}

/** The reference at a position of a text, with where it stands. */
export function referenceAt(text: string, position: number, targets: ReferenceHelp["targets"]): { id: string; from: number; to: number } | undefined {
  const document = parseDocument(text);
  for (const { path, id, name } of targets(dataOf(document))) {
    const node = name ? keyAt(document, path) : document.getIn(path, true);
    if (!isNode(node) || !node.range) continue;
    const [from, to] = node.range;
    if (from <= position && position <= to) return { id, from, to };
  }
  return undefined;
}

/** The node of the name of a member. */
function keyAt(document: Document, path: Path): unknown {
  const map = document.getIn(path.slice(0, -1), true);
  return isMap(map) ? map.items.find(({ key }) => isScalar(key) && String(key.value) === String(path.at(-1)))?.key : undefined;
}

/** Shows what is referenced where the mouse points. */
export function referenceHover(help: () => ReferenceHelp | undefined) {
  return hoverTooltip(async (view, position): Promise<Tooltip | null> => {
    const known = help();
    const found = known && referenceAt(view.state.doc.toString(), position, known.targets);
    if (!known || !found) return null;
    const target = await known.about(found.id);
    return { pos: found.from, end: found.to, above: true, create: () => ({ dom: tooltipOf(target) }) };
  });
}

function tooltipOf({ id, lines }: Target): HTMLElement {
  const box = document.createElement("div");
  box.className = "cm-reference";
  box.setAttribute("role", "tooltip");
  const heading = document.createElement("strong");
  heading.textContent = id;
  box.append(heading, ...lines.map((line) => {
    const row = document.createElement("div");
    row.textContent = line;
    return row;
  }));
  return box;
}
