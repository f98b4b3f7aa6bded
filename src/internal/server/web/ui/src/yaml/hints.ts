import { hoverTooltip, type EditorView } from "@codemirror/view";
import type { Extension } from "@codemirror/state";

/** What is said about a part of a text. */
export interface Hint {
  from: number;
  to: number;
  lines: string[];
}

/** The hint of the smallest part that has a position. */
export function hintAt(hints: readonly Hint[], position: number): Hint | undefined {
  return hints.filter(({ from, to }) => from <= position && position <= to).sort((a, b) => a.to - a.from - (b.to - b.from))[0];
}

/** Shows hints on hover. */
export function hoverHints(hints: readonly Hint[]): Extension {
  return hoverTooltip((_: EditorView, position) => {
    const hint = hintAt(hints, position);
    if (!hint) return null;
    return {
      pos: hint.from,
      end: hint.to,
      above: true,
      create: () => {
        const dom = document.createElement("div");
        dom.className = "cm-hint";
        for (const line of hint.lines) dom.append(Object.assign(document.createElement("div"), { textContent: line }));
        return { dom };
      },
    };
  });
}
