import { useDocumentTitle } from "@mantine/hooks";
import { useTexts } from "../i18n/texts";

/** Names the window after what it shows, the most specific part first, so that tabs and bookmarks can be told apart. */
export function usePageTitle(...parts: (string | undefined)[]): void {
  const t = useTexts();
  useDocumentTitle([...parts, t("shell.appName")].filter(Boolean).join(" · "));
}
