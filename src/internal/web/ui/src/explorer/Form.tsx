import { ActionIcon, Button, Fieldset, Group, NativeSelect, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useMemo, useState } from "react";
import { isMap, isSeq, type Document } from "yaml";
import { useTexts } from "../i18n/texts";
import { flatten, typesOf, type JsonSchema } from "../model/jsonschema";
import { readYaml, writeYaml } from "../yaml/merge";
import { membersOf, parseScalar, starterFor, textOf, type Path } from "./fields";

interface Props {
  text: string;
  schema?: JsonSchema;
  onChange: (text: string) => void;
}

/** A document as form, on the same text that the editor shows: what is not touched stays as it is. */
export function Form({ text, schema, onChange }: Props) {
  const t = useTexts();
  const document = useMemo(() => readYaml(text), [text]);
  if (document.errors.length > 0) return <Text role="alert">{t.yamlBroken}</Text>;
  const edit: Edit = {
    document,
    set: (path, value) => {
      document.setIn(path, document.createNode(value));
      onChange(writeYaml(document));
    },
    remove: (path) => {
      document.deleteIn(path);
      onChange(writeYaml(document));
    },
  };
  return <MapFields edit={edit} path={[]} schema={schema} />;
}

interface Edit {
  document: Document;
  set: (path: Path, value: unknown) => void;
  remove: (path: Path) => void;
}

interface FieldProps {
  edit: Edit;
  path: Path;
  schema?: JsonSchema;
}

/** Whether a field gives the document its name: it has to be there. */
function isNaming(path: Path): boolean {
  return ["metadata", "metadata.name"].includes(path.join("."));
}

/** The members of a map: those that the schema knows, and those that are there. */
function MapFields({ edit, path, schema }: FieldProps) {
  const flat = flatten(schema);
  const node = path.length === 0 ? edit.document.contents : edit.document.getIn(path, true);
  return (
    <Stack gap="xs">
      {membersOf(node, flat).map(({ name, schema: member, required }) => (
        <Field key={name} edit={edit} path={[...path, name]} schema={member} label={name} required={required} />
      ))}
      {flat.additionalProperties !== false && <NewMember edit={edit} path={path} taken={membersOf(node, flat).map((m) => m.name)} />}
    </Stack>
  );
}

interface LabelledProps extends FieldProps {
  label: string;
  required: boolean;
}

function Field(props: LabelledProps) {
  const { edit, path, schema, label } = props;
  const t = useTexts();
  const node = edit.document.getIn(path, true);
  const types = typesOf(schema);
  const isObject = isMap(node) || (node === undefined && types.includes("object"));
  const isList = isSeq(node) || (node === undefined && types.includes("array"));
  if (!isObject && !isList) return <Scalar {...props} />;
  return (
    <Fieldset legend={<strong>{label}</strong>} variant="unstyled" pl="md" style={{ borderLeft: "2px solid var(--mantine-color-default-border)" }}>
      {schema?.description && <Text size="sm" c="dimmed">{schema.description}</Text>}
      {isObject ? <MapFields edit={edit} path={path} schema={schema} /> : <ListFields edit={edit} path={path} schema={schema} />}
      {node !== undefined && !props.required && !isNaming(path) && (
        <Button variant="subtle" size="compact-xs" mt={4} onClick={() => edit.remove(path)}>
          {t.removeItem(label)}
        </Button>
      )}
    </Fieldset>
  );
}

function ListFields({ edit, path, schema }: FieldProps) {
  const t = useTexts();
  const items = flatten(schema).items;
  const node = edit.document.getIn(path, true);
  const length = isSeq(node) ? node.items.length : 0;
  return (
    <Stack gap="xs">
      {Array.from({ length }, (_, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- the place in the list is all that an item has
        <Field key={i} edit={edit} path={[...path, i]} schema={items && flatten(items)} label={t.item(i + 1)} required={false} />
      ))}
      <div>
        <Button variant="default" size="compact-sm" onClick={() => edit.set([...path, length], starterFor(node, items))}>
          {t.addItem}
        </Button>
      </div>
    </Stack>
  );
}

function Scalar({ edit, path, schema, label, required }: LabelledProps) {
  const t = useTexts();
  const value = edit.document.getIn(path);
  const types = typesOf(schema);
  const there = edit.document.hasIn(path);
  const remove = there && !isNaming(path) && (
    <ActionIcon variant="subtle" aria-label={t.removeItem(label)} onClick={() => edit.remove(path)}>
      ✕
    </ActionIcon>
  );
  if (typeof value === "boolean" || (!there && types.length === 1 && types[0] === "boolean")) {
    return (
      <Group gap="xs">
        <Switch label={label} description={schema?.description} checked={value === true} onChange={(e) => edit.set(path, e.currentTarget.checked)} />
        {remove}
      </Group>
    );
  }
  const shared = { label, description: schema?.description, withAsterisk: required, rightSection: remove || undefined, rightSectionWidth: 34 };
  const values = schema?.enum?.map(textOf);
  if (values && (!there || values.includes(textOf(value)))) {
    const choose = (text: string) => (text === "" ? edit.remove(path) : edit.set(path, schema?.enum?.[values.indexOf(text)]));
    return <NativeSelect {...shared} rightSection={undefined} value={there ? textOf(value) : ""} data={there && required ? values : ["", ...values]} onChange={(e) => choose(e.currentTarget.value)} />;
  }
  return <TextInput {...shared} value={there ? textOf(value) : ""} onChange={(e) => edit.set(path, parseScalar(e.currentTarget.value, value, types))} />;
}

function NewMember({ edit, path, taken }: { edit: Edit; path: Path; taken: string[] }) {
  const t = useTexts();
  const [name, setName] = useState("");
  const add = () => {
    edit.set([...path, name], "");
    setName("");
  };
  const usable = name !== "" && !taken.includes(name);
  const at = path.length === 0 ? "" : ` (${path.join(".")})`;
  return (
    <Group gap="xs">
      <TextInput size="xs" aria-label={t.fieldName + at} placeholder={t.fieldName} value={name} error={name !== "" && !usable ? t.invalidName : undefined}
        onChange={(e) => setName(e.currentTarget.value)} onKeyDown={(e) => e.key === "Enter" && usable && add()} />
      <Button size="compact-sm" variant="default" disabled={!usable} aria-label={t.addField + at} onClick={add}>
        {t.addField}
      </Button>
    </Group>
  );
}
