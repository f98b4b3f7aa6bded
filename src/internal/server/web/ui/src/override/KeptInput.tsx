import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { Conflicts } from "../explorer/Conflicts";
import { useTexts } from "../i18n/texts";
import { YamlDiff } from "../yaml/lazy";
import { merge, withValue } from "../yaml/merge";
import type { Input } from "./draft";
import { masked, type SecretOf } from "./secrets";

interface Props {
  kept: Input;
  current: string; // what is stored now
  secretOf: SecretOf;
  onTake: (text?: string) => void;
}

/** What the user had written when another user saved first, beside what is stored now, and the possible actions. */
export function KeptInput({ kept, current, secretOf, onTake }: Props) {
  const t = useTexts();
  const both = useMemo(() => merge(kept.base, kept.text, current), [kept, current]);
  const [chosen, setChosen] = useState<string>(); // the merged text, once a value was chosen
  const merged = chosen ?? both.text;
  return (
    <Alert color="blue" title={t("override.inputKept")}>
      <Stack gap="sm">
        <Text size="sm">{t("override.inputKeptText")}</Text>
        <YamlDiff before={masked(current, secretOf)} after={masked(chosen ?? kept.text, secretOf)} beforeLabel={t("override.storedNow")} afterLabel={t("override.yourInput")} />
        {both.conflicts.length > 0 && (
          <>
            <Text size="sm">{t("common.mergeConflicts", { n: both.conflicts.length })}</Text>
            <Conflicts conflicts={both.conflicts} hides={(path) => secretOf(path, "")} onTake={(path, value) => setChosen(withValue(merged, path, value))} />
          </>
        )}
        <Group>
          <Button size="xs" onClick={() => onTake(merged)}>{t("override.takeBoth")}</Button>
          <Button size="xs" variant="default" onClick={() => onTake(kept.text)}>{t("override.takeInput")}</Button>
          <Button size="xs" variant="default" onClick={() => onTake()}>{t("override.dropInput")}</Button>
        </Group>
      </Stack>
    </Alert>
  );
}
