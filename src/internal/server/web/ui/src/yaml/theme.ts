import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Colours of both schemes that can be read on their backgrounds. */
const colours = {
  light: { name: "#1864ab", text: "#2b6b12", number: "#a03a00", comment: "#5c6670", gutter: "#f1f3f5", line: "#5c6670", selection: "#cfe4fa", active: "#f1f6fb" },
  dark: { name: "#74c0fc", text: "#a9e34b", number: "#ffa94d", comment: "#a5adb5", gutter: "#1a2233", line: "#a5adb5", selection: "#1f4b73", active: "#1d2738" },
};

/** How an editor looks in a colour scheme. */
export function editorTheme(scheme: "light" | "dark"): Extension {
  const c = colours[scheme];
  const style = HighlightStyle.define([
    { tag: [tags.definition(tags.propertyName), tags.propertyName], color: c.name },
    { tag: [tags.string, tags.special(tags.string)], color: c.text },
    { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: c.number },
    { tag: [tags.comment, tags.meta], color: c.comment },
  ]);
  const view = EditorView.theme(
    {
      "&": { color: "var(--mantine-color-text)" },
      "&.cm-focused": { outline: "2px solid var(--mantine-primary-color-filled)" },
      ".cm-content": { fontFamily: "var(--mantine-font-family-monospace)" },
      ".cm-gutters": { backgroundColor: c.gutter, color: c.line, border: "none" },
      ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: c.active },
      "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: c.selection },
      ".cm-cursor": { borderLeftColor: "var(--mantine-color-text)" },
      ".cm-tooltip": { backgroundColor: "var(--mantine-color-body)", border: "1px solid var(--mantine-color-default-border)" },
      ".cm-reference": { padding: "6px 10px", maxWidth: "420px", overflowWrap: "anywhere" },
      ".cm-hint": { padding: "4px 8px", maxWidth: "60ch", overflowWrap: "anywhere" },
      ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"⋯"' }, // its own sign is in few fonts
      ".cm-panels": { backgroundColor: c.gutter, color: "var(--mantine-color-text)" },
    },
    { dark: scheme === "dark" },
  );
  return [view, syntaxHighlighting(style)];
}
