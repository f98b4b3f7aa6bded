import { ActionIcon, Group, NativeSelect, Switch, TextInput } from "@mantine/core";
import { useTexts } from "../i18n/texts";
import { typesOf, type JsonSchema } from "../model/jsonschema";
import type { Path } from "../model/paths";
import { faultsAt, type Edit } from "./edit";
import { FaultLines } from "./FaultList";
import { isNaming, parseScalar, textOf } from "./fields";

interface Props {
  edit: Edit;
  path: Path;
  schema?: JsonSchema;
  label: string;
  required: boolean;
}

/** A text, a number, a choice or a switch. Where it is absent, it shows the default that it gets. */
export function ScalarField({ edit, path, schema, label, required }: Props) {
  const t = useTexts();
  const value = edit.document.getIn(path);
  const types = typesOf(schema);
  const there = edit.document.hasIn(path);
  const preset = edit.defaults ? schema?.default : undefined;
  const locked = edit.locked(path);
  const faults = faultsAt(edit, path);
  const hints = [schema?.description, preset !== undefined && !there && !schema?.enum && t("form.defaultHint", { value: textOf(preset) }), locked].filter(Boolean);
  const set = (next: unknown) => edit.apply([{ path, value: next }]);
  const description = hints.length > 0 ? hints.join(" · ") : undefined;
  const error = faults.length > 0 && <FaultLines faults={faults} />;
  if (locked !== undefined) return <TextInput label={label} description={description} error={error} readOnly variant="filled" value={there ? textOf(value) : ""} />;
  const remove = there && !required && !isNaming(path) && (
    <ActionIcon variant="subtle" aria-label={t("common.removeItem", { name: label })} onClick={() => set(undefined)}>
      ✕
    </ActionIcon>
  );
  if (typeof value === "boolean" || (!there && types.length === 1 && types[0] === "boolean")) {
    return (
      <Group gap="xs">
        <Switch label={label} description={description} error={error} checked={there ? value === true : preset === true} onChange={(e) => set(e.currentTarget.checked)} />
        {remove}
      </Group>
    );
  }
  const shared = { label, description, error, required: (required && preset === undefined) || path.join(".") === "metadata.name", rightSection: remove || undefined, rightSectionWidth: 34 };
  const values = schema?.enum?.map(textOf);
  if (values && (!there || values.includes(textOf(value)))) {
    const choose = (text: string) => set(text === "" && !values.includes("") ? undefined : schema?.enum?.[values.indexOf(text)]);
    const none = { value: "", label: preset === undefined ? "" : t("form.defaultHint", { value: textOf(preset) }) };
    return <NativeSelect {...shared} rightSection={undefined} value={there ? textOf(value) : ""} data={there && required && preset === undefined ? values : [none, ...values]} onChange={(e) => choose(e.currentTarget.value)} />;
  }
  const write = (text: string) => set(text === "" && preset !== undefined ? undefined : parseScalar(text, value, types));
  return <TextInput {...shared} placeholder={preset === undefined ? undefined : textOf(preset)} value={there ? textOf(value) : ""} onChange={(e) => write(e.currentTarget.value)} />;
}
