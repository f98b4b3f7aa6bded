import { Stack, Title } from "@mantine/core";
import { useTexts } from "../i18n/texts";
import { PageLink } from "./links";
import { usePageTitle } from "./title";

/** What an address shows that the page does not have. */
export function NotFound() {
  const t = useTexts();
  usePageTitle(t.notFoundTitle);
  return (
    <Stack align="flex-start">
      <Title order={1} size="h2">
        {t.notFoundTitle}
      </Title>
      <PageLink to="/explorer">{t.toExplorer}</PageLink>
    </Stack>
  );
}
