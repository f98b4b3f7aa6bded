import { Button, Group, Stack, Text } from "@mantine/core";
import { useEffect, useState, type ReactNode } from "react";
import { send } from "../api/client";
import { useTexts } from "../i18n/texts";
import { YamlEditor } from "../yaml/lazy";
import { ProblemAlert } from "./ProblemAlert";

/** For how long secrets are shown. */
const shownFor = 30_000;

/** Whether secrets are shown, and how that is asked for. */
export interface Reveal {
  revealed: boolean;
  reveal: () => void;
  failure?: Error; // of the record of it: then they stay hidden
}

/**
 * Whether the secrets of a document are shown: on request, for a while, and for as long as it is edited. They are shown once the server
 * has a record of it, which a request to the path makes, or to each of several; without a path they are of no single document, and their reads alone are recorded.
 */
export function useReveal(editing: boolean, path?: string | string[]): Reveal {
  const [revealed, setRevealed] = useState(false);
  const [failure, setFailure] = useState<Error>();
  useEffect(() => {
    if (!revealed || editing) return undefined;
    const timer = setTimeout(() => setRevealed(false), shownFor);
    return () => clearTimeout(timer);
  }, [revealed, editing]);
  const ask = async () => {
    setFailure(undefined);
    try {
      const paths = path === undefined || Array.isArray(path) ? (path ?? []) : [path];
      await Promise.all(paths.map((one) => send("GET", `${one}${one.includes("?") ? "&" : "?"}reveal=true`)));
      setRevealed(true);
    } catch (error) {
      setFailure(error as Error);
    }
  };
  return { revealed: revealed || editing, reveal: () => void ask(), failure };
}

interface Props {
  masked?: string; // the text without its secrets; undefined where there are none, or they are to be seen
  label: string;
  reveal: Reveal;
  children: ReactNode;
}

/** What has secrets, or in its place the text without them. */
export function Secrets({ masked, label, reveal, children }: Props) {
  if (masked === undefined) return children;
  return (
    <Stack gap="sm">
      <RevealNote reveal={reveal} />
      <YamlEditor label={label} value={masked} />
    </Stack>
  );
}

/** Says that secrets are hidden, and offers to show them. */
export function RevealNote({ reveal: { reveal, failure } }: Pick<Props, "reveal">) {
  const t = useTexts();
  return (
    <Group>
      <Text role="status">{t("shell.secretsHidden")}</Text>
      <Button variant="default" size="xs" onClick={reveal}>
        {t("shell.reveal")}
      </Button>
      {failure && <ProblemAlert error={failure} />}
    </Group>
  );
}
