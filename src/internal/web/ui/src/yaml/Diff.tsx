import { yaml } from "@codemirror/lang-yaml";
import { MergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { Group, Text, useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import { useTexts } from "../i18n/texts";
import { editorTheme } from "./theme";
import classes from "./Diff.module.css";

interface Props {
  before: string;
  after: string;
  beforeLabel: string;
  afterLabel: string;
}

/** Two texts side by side with what differs marked; long parts that are equal are folded. */
export default function Diff({ before, after, beforeLabel, afterLabel }: Props) {
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const t = useTexts();
  const unchanged = t("yaml.unchangedLines", { n: "$" });
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
      b: { doc: after, extensions: extensions(afterLabel) },
      collapseUnchanged: { margin: 3, minSize: 8 },
      gutter: true,
    });
    return () => view.destroy();
  }, [before, after, beforeLabel, afterLabel, scheme, unchanged]);
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
