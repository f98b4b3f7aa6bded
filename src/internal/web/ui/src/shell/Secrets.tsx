import { Button, Group, Stack, Text } from "@mantine/core";
import { useEffect, useState, type ReactNode } from "react";
import { useTexts } from "../i18n/texts";
import { YamlEditor } from "../yaml/lazy";

/** For how long secrets are shown. */
const shownFor = 30_000;

/** Whether the secrets of a document are shown: on request, for a while, and for as long as it is edited. */
export function useReveal(editing: boolean): [boolean, () => void] {
  const [revealed, setRevealed] = useState(false);
  useEffect(() => {
    if (!revealed || editing) return undefined;
    const timer = setTimeout(() => setRevealed(false), shownFor);
    return () => clearTimeout(timer);
  }, [revealed, editing]);
  return [revealed || editing, () => setRevealed(true)];
}

interface Props {
  masked?: string; // the text without its secrets; undefined where there are none, or they are to be seen
  label: string;
  onReveal: () => void;
  children: ReactNode;
}

/** What has secrets, or in its place the text without them. */
export function Secrets({ masked, label, onReveal, children }: Props) {
  if (masked === undefined) return children;
  return (
    <Stack gap="sm">
      <RevealNote onReveal={onReveal} />
      <YamlEditor label={label} value={masked} />
    </Stack>
  );
}

/** Says that secrets are hidden, and offers to show them. */
export function RevealNote({ onReveal }: Pick<Props, "onReveal">) {
  const t = useTexts();
  return (
    <Group>
      <Text role="status">{t.secretsHidden}</Text>
      <Button variant="default" size="xs" onClick={onReveal}>
        {t.reveal}
      </Button>
    </Group>
  );
}
