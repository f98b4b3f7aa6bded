import { Text } from "@mantine/core";
import { useTexts } from "../i18n/texts";
import { DocumentLink } from "../shell/links";
import type { Conflict } from "./queries";

/** What a conflict is about. */
export function ConflictName({ conflict }: { conflict: Conflict }) {
  const t = useTexts();
  const { id, path, message } = conflict;
  return (
    <>
      <DocumentLink id={id} />
      <Text size="sm">{path === "" ? t("changesets.wholeDocument") : <code>{path}</code>}</Text>
      <Text size="xs" c="dimmed">
        {message}
      </Text>
    </>
  );
}
