import { Stack, ThemeIcon, Title } from "@mantine/core";
import { Compass } from "lucide-react";
import { useTexts } from "../i18n/texts";
import { ButtonLink } from "./links";
import { usePageTitle } from "./title";

/** What an address shows that the page does not have. */
export function NotFound() {
  const t = useTexts();
  usePageTitle(t("shell.notFoundTitle"));
  return (
    <Stack align="center" gap="sm" mt={{ base: "xl", sm: 96 }}>
      <ThemeIcon variant="light" size={56} radius="xl">
        <Compass size={28} aria-hidden />
      </ThemeIcon>
      <Title order={1} size="h2">
        {t("shell.notFoundTitle")}
      </Title>
      <ButtonLink to="/" variant="default">
        {t("shell.toHome")}
      </ButtonLink>
    </Stack>
  );
}
