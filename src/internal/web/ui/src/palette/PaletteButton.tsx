import { Button, Kbd, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { Suspense, lazy, useState } from "react";
import { api } from "../api/client";
import { useTexts } from "../i18n/texts";

const load = () => import("./Palette");
const Palette = lazy(load);

/** Opens the command palette, as Ctrl-K or Cmd-K does anywhere on the page. */
export function PaletteButton() {
  const t = useTexts();
  const queries = useQueryClient();
  const [opened, setOpened] = useState(false);
  /** Has the code loaded, and the server read the names, before they are needed. */
  const prepare = () => {
    void load();
    void queries.prefetchQuery({ queryKey: ["search", "prepare"], queryFn: async () => (await api.GET("/v2/search")).response.ok, staleTime: 60_000 });
  };
  const toggle = () => {
    prepare();
    setOpened((was) => !was);
  };
  useHotkeys([["mod+K", toggle]], [], true);
  return (
    <>
      <Button variant="default" size="xs" miw="max-content" aria-keyshortcuts="Control+K Meta+K" aria-label={`${t.palette} ${keys}`} onClick={toggle} onMouseEnter={prepare}>
        <MagnifyingGlass />
        <Text span inherit visibleFrom="xl" mx={6}>
          {t.palette}
        </Text>
        <Kbd size="xs" visibleFrom="md" ml={6}>
          {keys}
        </Kbd>
      </Button>
      {opened && (
        <Suspense>
          <Palette onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  );
}

const keys = /mac|iphone|ipad/i.test(navigator.userAgent) ? "⌘ K" : "Ctrl K";

function MagnifyingGlass() {
  return (
    <svg width="14" height="14" viewBox="0 0 14 14" fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" aria-hidden>
      <circle cx="6" cy="6" r="4.2" />
      <path d="M9.2 9.2 13 13" />
    </svg>
  );
}
