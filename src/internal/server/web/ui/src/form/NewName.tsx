import { useTexts } from "../i18n/texts";
import { nameOf } from "../model/ids";
import { flatten, type JsonSchema } from "../model/jsonschema";
import { pathText, type Path } from "../model/paths";
import { knownElements, type Slot } from "../model/slots";
import { DocumentPicker } from "./DocumentPicker";
import type { Edit } from "./edit";
import { starterFor } from "./fields";

interface Props {
  edit: Edit;
  path: Path;
  slot: Slot;
  schema?: boolean | JsonSchema; // of the members
  taken: string[];
}

/** Adds a member to a map whose members are called after documents. */
export function NewName({ edit, path, slot, schema, taken }: Props) {
  const t = useTexts();
  const { model, own } = edit;
  const kinds = slot.reference.to.flatMap((name) => model.kind(name) ?? []);
  const member = typeof schema === "object" ? flatten(schema) : {};
  const add = (name: string) => edit.apply([{ path: [...path, name], value: member.type === undefined ? {} : starterFor(undefined, member) }]);
  return (
    <DocumentPicker
      label={`${t("form.addName", { kinds: slot.reference.to.join(", ") })} (${pathText(path)})`} model={model} candidates={kinds.map((kind) => ({ kind, known: knownElements(slot, kind, own, undefined).map((e) => (e.from === "own" ? { ...e, from: "rule" } : e)) }))}
      text="" others={[]} without={taken} onChoose={(_, id) => add(nameOf(id))}
    />
  );
}
