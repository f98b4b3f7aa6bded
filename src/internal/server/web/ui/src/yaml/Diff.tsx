import { yaml } from "@codemirror/lang-yaml";
import { MergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { Group, Text, useComputedColorScheme } from "@mantine/core";
import { useEffect, useEffectEvent, useRef } from "react";
import { useTexts } from "../i18n/texts";
import { hoverHints, type Hint } from "./hints";
import { editorTheme } from "./theme";
import classes from "./Diff.module.css";

interface Props {
  before: string;
  after: string;
  beforeLabel: string;
  afterLabel: string;
  hints?: readonly Hint[]; // of parts of the text after, on hover
  onCursor?: (position: number) => void; // where the cursor is in the text after
}

const noHints: Hint[] = [];

/** Two texts side by side with what differs marked; long parts that are equal are folded. */
export default function Diff({ before, after, beforeLabel, afterLabel, hints = noHints, onCursor }: Props) {
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const t = useTexts();
  const unchanged = t("yaml.unchangedLines", { n: "$" });
  const moved = useEffectEvent((position: number) => onCursor?.(position));
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!parent.current) return undefined;
    const extensions = (label: string) => [
      lineNumbers(), yaml(), EditorView.lineWrapping, editorTheme(scheme), EditorState.readOnly.of(true),
      EditorState.phrases.of({ "$ unchanged lines": unchanged }),
      EditorView.contentAttributes.of({ tabindex: "0", "aria-label": label, "aria-readonly": "true" }),
    ];
    const view = new MergeView({
      parent: parent.current,
      a: { doc: before, extensions: extensions(beforeLabel) },
      b: { doc: after, extensions: [...extensions(afterLabel), hoverHints(hints), EditorView.updateListener.of(({ selectionSet, state }) => selectionSet && moved(state.selection.main.head))] },
      collapseUnchanged: { margin: 3, minSize: 8 },
      gutter: true,
    });
    return () => view.destroy();
  }, [before, after, beforeLabel, afterLabel, hints, scheme, unchanged]);
  return (
    <>
      <Group grow gap={0}>
        <Text size="sm" fw={600}>{beforeLabel}</Text>
        <Text size="sm" fw={600}>{afterLabel}</Text>
      </Group>
      <div ref={parent} className={classes.diff} />
    </>
  );
}
