import { Button, Code, CopyButton, Group, Stack, Text, Title } from "@mantine/core";
import { inView } from "../api/view";
import { useTexts } from "../i18n/texts";
import type { Kind, Model } from "../model/kinds";
import { commandsOf } from "./facts";

/** The ways to a document from a terminal, to be copied. */
export function Commands({ model, kind, id, path }: { model: Model; kind: Kind; id: string; path: string }) {
  const t = useTexts();
  return (
    <Stack gap="md">
      <Text size="sm">{t("explorer.commandsText")}</Text>
      {commandsOf(model, kind, id, inView(path), location.origin).map(({ program, command }) => (
        <Stack key={program} gap={6} component="section" aria-label={program}>
          <Group justify="space-between">
            <Title order={3} size="h5">
              {program}
            </Title>
            <CopyButton value={command}>
              {({ copied, copy }) => (
                <Button variant="default" size="compact-sm" onClick={copy} aria-label={`${copied ? t("explorer.copied") : t("explorer.copyCommand")}: ${program}`}>
                  {copied ? t("explorer.copied") : t("explorer.copyCommand")}
                </Button>
              )}
            </CopyButton>
          </Group>
          <Code block style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
            {command}
          </Code>
        </Stack>
      ))}
    </Stack>
  );
}
