import { Button, Fieldset, Stack, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { isMap, isSeq, type Document } from "yaml";
import type { Problem } from "../api/problem";
import { useTexts } from "../i18n/texts";
import type { Element } from "../model/ids";
import { flatten, typesOf, type JsonSchema } from "../model/jsonschema";
import type { Kind, Model } from "../model/kinds";
import type { Path } from "../model/paths";
import { slotsAt, slotsOf, withSlots, membersOf as slotMembers } from "../model/slots";
import { readYaml, writeYaml } from "../yaml/merge";
import { Blocks, valuesIn } from "./Blocks";
import { change, closedBy, faultsAt, holdsLocked, lockOf, type Edit } from "./edit";
import { FaultList } from "./FaultList";
import { assign, faultsOf } from "./faults";
import { isNaming, membersOf, namesIn, starterFor } from "./fields";
import { missingIn, targetsOf } from "./missing";
import { MissingNote } from "./MissingNote";
import { NewMember } from "./NewMember";
import { NewName } from "./NewName";
import { ScalarField } from "./ScalarField";
import { SlotField } from "./SlotField";

const nothing: string[] = [];

interface Props {
  text: string;
  kind: Pick<Kind, "schema" | "references" | "immutable" | "defaults" | "strict">;
  model: Model;
  own: Element[]; // the key of the document, or of what a new one will be below
  isNew: boolean;
  frozen?: string; // why nothing can be changed
  problem?: Problem; // what the server refuses
  onChange: (text: string) => void;
}

/** A document as form, on the same text that the editor shows: what is not touched stays as it is. */
export function Form({ text, kind, model, own, isNew, frozen, problem, onChange }: Props) {
  const t = useTexts();
  const [written] = useState<{ text?: string; document?: Document }>({}); // what a field has changed need not be read again
  const document = useMemo(() => (written.document && written.text === text ? written.document : readYaml(text)), [text, written]);
  const slots = useMemo(() => slotsOf(kind.references), [kind]);
  const named = document.has("metadata"); // which the body of an action does not have
  const schema = useMemo(() => (named ? nameFirst : flatten)(withSlots(kind.schema, slots)), [kind, slots, named]);
  if (document.errors.length > 0) return <Text role="alert">{t("form.yamlBroken")}</Text>;
  const data: unknown = document.toJS();
  const targets = slots.flatMap((slot) => targetsOf(data, slot, model, own).flatMap(({ path, id }) => (id === undefined ? [] : [{ path, id }])));
  const { fields, rest } = assign(faultsOf(problem), document, schema, slots, targets);
  const immutable = lockOf(isNew ? [] : (kind.immutable ?? []), t("form.immutableHint"));
  const edit: Edit = {
    document, model, slots, own, defaults: kind.defaults ?? false, faults: fields,
    closed: closedBy(kind),
    locked: (path) => (frozen === undefined ? immutable(path) : ""), // it is said once
    apply: (changes) => {
      change(document, changes);
      Object.assign(written, { text: writeYaml(document), document });
      onChange(written.text ?? "");
    },
  };
  return (
    <Stack maw={760}>
      {frozen !== undefined && <Text size="sm">{frozen}</Text>}
      <MapFields edit={edit} path={[]} schema={schema} />
      {rest.length > 0 && <FaultList faults={rest} />}
      <MissingNote missing={missingIn(data, schema, slots, model, own)} />
    </Stack>
  );
}

/** The fields begin with what the document is called. */
function nameFirst(schema: JsonSchema): JsonSchema {
  const { metadata = {}, ...others } = schema.properties ?? {};
  return { ...schema, properties: { metadata: { type: "object", ...metadata }, ...others } };
}

interface FieldProps {
  edit: Edit;
  path: Path;
  schema?: JsonSchema;
}

interface MapProps extends FieldProps {
  without?: string[]; // members that are shown elsewhere
}

/** The members of a map: those that the schema knows, and those that are there. */
function MapFields({ edit, path, schema, without = nothing }: MapProps) {
  const flat = flatten(schema);
  const node = path.length === 0 ? edit.document.contents : edit.document.getIn(path, true);
  const members = membersOf(node, flat).filter(({ name }) => !without.includes(name));
  const sizes = new Map(isMap(node) ? namesIn(node).map((name, i) => [name, valuesIn(node.items[i])]) : []);
  const taken = [...without, ...members.map(({ name }) => name)];
  const [named] = slotsAt(edit.slots, path, true);
  const open = edit.locked(path) === undefined && !edit.closed(path);
  return (
    <Stack gap="xs">
      <Blocks
        items={members.map(({ name, schema: member, required }) => ({
          key: name,
          values: sizes.get(name) ?? 1,
          field: <Field edit={edit} path={[...path, name]} schema={member} label={name} required={required} />,
        }))}
      />
      {open && (named ? <NewName edit={edit} path={path} slot={named} schema={flat.additionalProperties} taken={taken} /> : <NewMember edit={edit} path={path} taken={taken} />)}
    </Stack>
  );
}

interface LabelledProps extends FieldProps {
  label: string;
  required: boolean;
}

function Field(props: LabelledProps) {
  const { edit, path, schema } = props;
  const node = edit.document.getIn(path, true);
  const types = typesOf(schema);
  const slots = slotsAt(edit.slots, path);
  if (slots.length > 0) return <SlotFields {...props} />;
  if (isMap(node) || (node === undefined && types.includes("object"))) {
    return (
      <Section {...props}>
        <MapFields edit={edit} path={path} schema={schema} />
      </Section>
    );
  }
  if (isSeq(node) || (node === undefined && types.includes("array"))) {
    return (
      <Section {...props}>
        <ListFields edit={edit} path={path} schema={schema} />
      </Section>
    );
  }
  return <ScalarField {...props} />;
}

/** What has fields of its own. */
function Section({ edit, path, schema, label, required, children }: LabelledProps & { children: React.ReactNode }) {
  const t = useTexts();
  const faults = faultsAt(edit, path);
  const removable = edit.document.hasIn(path) && !required && !isNaming(path) && !holdsLocked(edit.document, path, edit.locked);
  return (
    <Fieldset
      legend={
        <strong>
          {label}
          {required && <span aria-hidden style={{ color: "var(--mantine-color-error)" }}> *</span>}
        </strong>
      }
      variant="unstyled" pl="md" style={{ borderLeft: `2px solid var(--mantine-color-${faults.length > 0 ? "error" : "default-border"})`, minWidth: 0 }}>
      {schema?.description && <Text size="sm" c="dimmed">{schema.description}</Text>}
      {children}
      {faults.length > 0 && <FaultList faults={faults} />}
      {removable && (
        <Button variant="subtle" size="compact-xs" mt={4} onClick={() => edit.apply([{ path, value: undefined }])}>
          {t("common.removeItem", { name: label })}
        </Button>
      )}
    </Fieldset>
  );
}

/** What stands at a slot: the document that it refers to, one for each rule, and the members that no rule looks for. */
function SlotFields(props: LabelledProps) {
  const { edit, path, schema, label } = props;
  const slots = slotsAt(edit.slots, path);
  const used = slots.flatMap((slot) => slotMembers(edit.model, slot));
  const flat = flatten(schema);
  const others = membersOf(edit.document.getIn(path, true), flat).filter(({ name }) => !used.includes(name));
  const pickers = slots.map((slot, i) => (
    // oxlint-disable-next-line react/no-array-index-key -- the slots of a kind do not change
    <SlotField key={i} {...props} slot={slot} others={slots} first={i === 0} label={slots.length === 1 ? label : `${label}: ${slot.reference.to.join(", ")}`} />
  ));
  if (others.length === 0) return pickers;
  return (
    <Section {...props}>
      <Stack gap="xs">
        {pickers}
        <MapFields edit={edit} path={path} schema={flat} without={used} />
      </Stack>
    </Section>
  );
}

function ListFields({ edit, path, schema }: FieldProps) {
  const t = useTexts();
  const items = flatten(schema).items;
  const node = edit.document.getIn(path, true);
  const fields = (isSeq(node) ? node.items : []).map((item, i) => ({
    key: i, // the position in the list is all that an item has
    values: valuesIn(item),
    field: <Field edit={edit} path={[...path, i]} schema={items && flatten(items)} label={t("form.item", { n: i + 1 })} required={false} />,
  }));
  return (
    <Stack gap="xs">
      <Blocks items={fields} />
      {edit.locked(path) === undefined && (
        <div>
          <Button variant="default" size="compact-sm" onClick={() => edit.apply([{ path: [...path, fields.length], value: starterFor(node, items) }])}>
            {t("form.addItem")}
          </Button>
        </div>
      )}
    </Stack>
  );
}
