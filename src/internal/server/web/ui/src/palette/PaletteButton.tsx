import { Button, Kbd, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { Suspense, lazy, useState } from "react";
import { api } from "../api/client";
import { useTexts } from "../i18n/texts";
import classes from "./Palette.module.css";

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
      <Button variant="default" size="sm" fw={400} w={{ base: 40, md: 340, xl: 440 }} px={{ base: 0, md: "sm" }} className={classes.open} leftSection={<Search size={15} aria-hidden />} aria-keyshortcuts="Control+K Meta+K" aria-label={`${t("palette.palette")} ${keys}`} onClick={toggle} onMouseEnter={prepare}>
        <Text span inherit c="dimmed" visibleFrom="md">
          {t("palette.palette")}
        </Text>{" "}
        <Kbd size="xs" visibleFrom="md">
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
