import { autocompletion, closeBrackets, completionKeymap, type CompletionContext } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, foldKeymap, indentUnit } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useEffectEvent, useRef } from "react";
import type { JsonSchema } from "../model/jsonschema";
import { parseDocument } from "yaml";
import { contextAt, offersAt } from "./context";
import type { Mark } from "./diagnostics";
import { dataOf, referenceHover, type ReferenceHelp } from "./references";
import { editorTheme } from "./theme";

const noMarks: Mark[] = [];

interface Props {
  label: string; // for those who cannot see it
  value: string;
  onChange?: (text: string) => void; // without it the text is only read
  schema?: JsonSchema; // what is offered while writing
  references?: ReferenceHelp; // what values can refer to, and refer to
  marks?: Mark[]; // what is wrong
  height?: string;
}

/** A text of YAML with colours, offers from a schema and marks at what is wrong. Tab leaves it, as it does every field. */
export default function Editor(props: Props) {
  return <View key={`${props.onChange === undefined} ${props.label}`} {...props} />;
}

function View({ label, value, onChange, schema, references, marks = noMarks, height = "60vh" }: Props) {
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const look = useRef(new Compartment());
  const changed = useEffectEvent((text: string) => onChange?.(text));
  const offers = useEffectEvent((context: CompletionContext) => complete(context, schema, references));
  const help = useEffectEvent(() => references);
  const readOnly = onChange === undefined;
  const first = useEffectEvent(() => value);

  useEffect(() => {
    if (!parent.current) return undefined;
    const appearance = look.current;
    const made = new EditorView({
      parent: parent.current,
      state: EditorState.create({
        doc: first(),
        extensions: [
          lineNumbers(), foldGutter(), history(), drawSelection(), bracketMatching(), closeBrackets(), highlightActiveLine(), highlightSelectionMatches(),
          yaml(), indentUnit.of("  "), lintGutter(), EditorView.lineWrapping,
          autocompletion({ override: [(context) => offers(context)] }), referenceHover(() => help()),
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap, ...foldKeymap]),
          EditorState.readOnly.of(readOnly),
          EditorView.contentAttributes.of({ tabindex: "0", "aria-label": label, "aria-readonly": String(readOnly) }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state.doc.toString());
          }),
          appearance.of([]),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, [readOnly, label]);

  useEffect(() => {
    view.current?.dispatch({ effects: look.current.reconfigure([editorTheme(scheme), EditorView.theme({ "&": { maxHeight: height }, ".cm-scroller": { overflow: "auto" } })]) });
  }, [scheme, height]);

  useEffect(() => {
    const state = view.current?.state;
    if (state && state.doc.toString() !== value) view.current?.dispatch({ changes: { from: 0, to: state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const state = view.current?.state;
    if (!state) return;
    const end = state.doc.length;
    const found = marks.map((mark) => ({ from: Math.min(mark.from, end), to: Math.min(mark.to, end), severity: "error" as const, message: mark.message }));
    view.current?.dispatch(setDiagnostics(state, found));
  }, [marks]);

  return <div ref={parent} />;
}

async function complete(context: CompletionContext, schema: JsonSchema | undefined, references: ReferenceHelp | undefined) {
  const word = context.matchBefore(/[\w./-]*/);
  if ((!schema && !references) || !word || (word.from === word.to && !context.explicit)) return null;
  const text = context.state.doc.toString();
  const others = references ? await references.offers(contextAt(text, context.pos).path, dataOf(parseDocument(text))) : [];
  const options = [...others, ...offersAt(schema, text, context.pos)].map((offer) => ({
    label: offer.label,
    apply: offer.insert,
    detail: offer.detail,
    info: offer.info || undefined,
  }));
  return { from: word.from, options, validFor: /^[\w./-]*$/ };
}
