import { ActionIcon, AppShell, Box, Burger, Group, NativeSelect, ScrollArea, Text, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { Outlet, getRouteApi } from "@tanstack/react-router";
import { useEffect, useLayoutEffect, useMemo, useState } from "react";
import { newCache } from "../api/cache";
import { rightsQuery } from "../api/access";
import { isUnauthenticated } from "../api/problem";
import { languages, useLanguage, useTexts, type Language } from "../i18n/texts";
import { ChangeSetBanner } from "../changesets/ChangeSetBanner";
import { Shortcuts } from "../keyboard/Shortcuts";
import { PaletteButton } from "../palette/PaletteButton";
import { Moon, Sun } from "lucide-react";
import { ConnectionNote } from "../live/ConnectionNote";
import { KindList } from "./KindList";
import { Navigation } from "./Navigation";
import { MomentBanner } from "../view/MomentBanner";
import { ViewMenu } from "../view/ViewMenu";
import { UserMenu } from "./UserMenu";
import { SignIn, SignInAgain } from "./SignIn";
import classes from "./Shell.module.css";

const route = getRouteApi("__root__");
const headerHeight = 56;
const sidebarWidth = 232;
const bannerHeight = 44;

/** What is around every page: where one can go, the view that it shows, the language, the colours. */
export function Shell() {
  const t = useTexts();
  const { changeSet = "", asOf: past = "" } = route.useSearch();
  const asOf = changeSet === "" ? past : "";
  const view = `${changeSet} ${asOf}`;
  const cache = useMemo(() => ({ view, queries: newCache() }), [view]); // what was read in one view is not shown in another
  const banner = view === " " ? 0 : bannerHeight;
  const [opened, { toggle, close }] = useDisclosure(false); // the sidebar, on a phone
  useLayoutEffect(() => document.querySelector("#frame")?.remove(), []); // that of index.html, which is drawn until this is
  return (
    <QueryClientProvider client={cache.queries}>
      <AppShell header={{ height: headerHeight + banner }} navbar={{ width: sidebarWidth, breakpoint: "sm", collapsed: { mobile: !opened } }} padding="md" transitionDuration={0}>
        <a className={classes.skip} href="#content">
          {t("shell.skipToContent")}
        </a>
        <AppShell.Header>
          <Group h={headerHeight} px={{ base: "xs", sm: "md" }} gap="xs" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={t("shell.menu")} />
            <Group gap="xs" wrap="nowrap" visibleFrom="sm" w={sidebarWidth - 10}>
              <img src="/ui/icon.svg" alt="" width={26} height={26} />
              <Text fw={700} fz={16} lts="-0.01em">
                {t("shell.appName")}
              </Text>
            </Group>
            <PaletteButton />
            <Box flex={1} />
            <ViewMenu current={changeSet} asOf={asOf} />
            <LanguageSelect />
            <SchemeButton />
            <Shortcuts />
            <UserMenu />
          </Group>
          {changeSet !== "" && <ChangeSetBanner key={changeSet} name={changeSet} height={bannerHeight} />}
          {asOf !== "" && <MomentBanner asOf={asOf} height={bannerHeight} />}
        </AppShell.Header>
        <AppShell.Navbar className={classes.sidebar} data-closed={!opened || undefined}>
          <ScrollArea type="hover" h="100%" p="xs" viewportProps={{ tabIndex: -1 }}>
            <Navigation onGo={close} />
            <KindList onGo={close} />
          </ScrollArea>
        </AppShell.Navbar>
        <AppShell.Main className={classes.main}>
          <Box id="content" tabIndex={-1} className={classes.content}>
            <Gate key={view} />
          </Box>
          <ConnectionNote />
        </AppShell.Main>
      </AppShell>
    </QueryClientProvider>
  );
}

/** The page, or, when the server refused one of its requests for that, the question who asks. Who was known before is asked over the page, which keeps what was typed. */
function Gate() {
  const queries = useQueryClient();
  const [asked, setAsked] = useState(false);
  const ended = asked && queries.getQueryData(rightsQuery.queryKey) !== undefined; // one was known before
  useEffect(() => {
    const look = (event: { type: string; action?: { type: string; error?: unknown } }) => { // each refusal once: a query keeps its error until it is answered again
      if (event.type === "updated" && event.action?.type === "error" && isUnauthenticated(event.action.error)) setAsked(true);
    };
    const stopQueries = queries.getQueryCache().subscribe(look);
    const stopMutations = queries.getMutationCache().subscribe(look);
    return () => {
      stopQueries();
      stopMutations();
    };
  }, [queries]);
  if (asked && !ended) return <SignIn onSignedIn={() => setAsked(false)} />;
  return (
    <>
      <Outlet />
      {ended && <SignInAgain onSignedIn={() => setAsked(false)} />}
    </>
  );
}

function LanguageSelect() {
  const t = useTexts();
  const { language, choose } = useLanguage();
  return (
    <NativeSelect
      aria-label={t("common.language")}
      size="xs"
      value={language}
      onChange={(event) => choose(event.currentTarget.value as Language)}
      data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
    />
  );
}

function SchemeButton() {
  const t = useTexts();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const other = scheme === "dark" ? "light" : "dark";
  return (
    <ActionIcon variant="default" size="md" aria-label={other === "dark" ? t("common.useDark") : t("common.useLight")} onClick={() => setColorScheme(other)}>
      {scheme === "dark" ? <Sun size={16} aria-hidden /> : <Moon size={16} aria-hidden />}
    </ActionIcon>
  );
}
