import { useTexts } from "../i18n/texts";
import { formatId, parseId, shortName } from "../model/ids";
import type { JsonSchema } from "../model/jsonschema";
import type { Path } from "../model/paths";
import { knownElements, referTo, targetOf, unrefer, type Slot } from "../model/slots";
import { DocumentPicker } from "./DocumentPicker";
import { faultsAt, holdsLocked, type Edit } from "./edit";
import { FaultLines } from "./FaultList";

interface Props {
  edit: Edit;
  path: Path;
  slot: Slot;
  others: Slot[]; // all slots at the path
  first: boolean; // it shows what is wrong there
  schema?: JsonSchema;
  label: string;
  required: boolean;
}

/** The document that a value refers to. */
export function SlotField({ edit, path, slot, others, first, schema, label, required }: Props) {
  const t = useTexts();
  const { model, own } = edit;
  const value: unknown = edit.document.toJS() && plain(edit.document.getIn(path, true), edit);
  const id = targetOf(model, slot, own, value);
  const kinds = slot.reference.to.flatMap((name) => model.kind(name) ?? []);
  const candidates = kinds.map((kind) => ({ kind, known: knownElements(slot, kind, own, id === undefined ? value : undefined) }));
  const text = id === undefined ? unfinished(value) : shortName(id, nearest(id, formatId(own)));
  // How to write it by hand is no help here.
  const faults = first ? faultsAt(edit, path).map((fault) => (fault.missing.length > 0 ? fault : { ...fault, remedy: undefined })) : [];
  const hints = [schema?.description, t("form.refersToKind", { kinds: slot.reference.to.join(", ") })].filter(Boolean);
  return (
    <DocumentPicker
      label={label} description={hints.join(" · ")} required={required && first} error={faults.length > 0 && <FaultLines faults={faults} />} locked={holdsLocked(edit.document, path, edit.locked) ? (edit.locked(path) ?? t("form.immutableHint")) : undefined}
      model={model} candidates={candidates} id={id} text={text} others={slot.reference.except ?? []}
      onText={(other) => edit.apply([{ path, value: other }])}
      onClear={edit.document.hasIn(path) ? () => edit.apply(unrefer(model, slot, others, path, value)) : undefined}
      onChoose={(kind, chosen) => {
        const gone = kinds.length > 1 && value !== undefined ? unrefer(model, slot, others, path, value) : [];
        const rest = gone.some(({ path: removed }) => removed.length === path.length) ? undefined : value;
        edit.apply([...gone, ...referTo(slot, kind, own, chosen, path, rest, schema)]);
      }}
    />
  );
}

function plain(node: unknown, { document }: Edit): unknown {
  return typeof node === "object" && node !== null && "toJS" in node && typeof node.toJS === "function" ? (node.toJS(document) as unknown) : node;
}

/** What stands at a slot that refers to nothing. */
function unfinished(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "object") return String(value);
  return Object.values(value).map(String).join("/");
}

/** The part of the own key that an id begins with. */
function nearest(id: string, own: string): string {
  const elements = parseId(own) ?? [];
  for (let n = elements.length; n > 0; n--) {
    const above = formatId(elements.slice(0, n));
    if (id.startsWith(`${above}/`)) return above;
  }
  return "";
}
