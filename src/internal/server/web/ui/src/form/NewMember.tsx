import { Button, Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTexts } from "../i18n/texts";
import { pathText, type Path } from "../model/paths";
import type { Edit } from "./edit";

/** Adds a member that the schema does not name. */
export function NewMember({ edit, path, taken }: { edit: Edit; path: Path; taken: string[] }) {
  const t = useTexts();
  const [name, setName] = useState("");
  const add = () => {
    edit.apply([{ path: [...path, name], value: "" }]);
    setName("");
  };
  const usable = name !== "" && !taken.includes(name);
  const at = path.length === 0 ? "" : ` (${pathText(path)})`;
  return (
    <Group gap="xs">
      <TextInput size="xs" aria-label={t("form.fieldName") + at} placeholder={t("form.fieldName")} value={name} error={name !== "" && !usable ? t("form.invalidName") : undefined}
        onChange={(e) => setName(e.currentTarget.value)} onKeyDown={(e) => e.key === "Enter" && usable && add()} />
      <Button size="compact-sm" variant="default" disabled={!usable} aria-label={t("form.addField") + at} onClick={add}>
        {t("form.addField")}
      </Button>
    </Group>
  );
}
