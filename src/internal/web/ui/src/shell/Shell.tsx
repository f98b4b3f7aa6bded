import { ActionIcon, AppShell, Box, Burger, Group, NativeSelect, ScrollArea, Text, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { QueryClientProvider, useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet, getRouteApi } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { newCache } from "../api/cache";
import { isUnauthenticated } from "../api/problem";
import { servicesQuery } from "../api/services";
import { languages, useLanguage, useTexts, type Language } from "../i18n/texts";
import { ChangeSetBanner } from "../changesets/ChangeSetBanner";
import { ChangeSetMenu } from "../changesets/ChangeSetMenu";
import { PaletteButton } from "../palette/PaletteButton";
import { Moon, Sun } from "lucide-react";
import { KindList } from "./KindList";
import { Navigation } from "./Navigation";
import { UserMenu } from "./UserMenu";
import { SignIn } from "./SignIn";
import classes from "./Shell.module.css";

const route = getRouteApi("__root__");
const headerHeight = 56;
const sidebarWidth = 232;
const bannerHeight = 44;

/** What is around every page: where one can go, the change set that it works in, the language, the colours. */
export function Shell() {
  const t = useTexts();
  const { changeSet = "" } = route.useSearch();
  const cache = useMemo(() => ({ changeSet, queries: newCache() }), [changeSet]); // what was read in one view is not shown in another
  const banner = changeSet === "" ? 0 : bannerHeight;
  const [opened, { toggle, close }] = useDisclosure(false); // the sidebar, on a phone
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
            <ViewMenu changeSet={changeSet} />
            <LanguageSelect />
            <SchemeButton />
            <UserMenu />
          </Group>
          {changeSet !== "" && <ChangeSetBanner key={changeSet} name={changeSet} height={bannerHeight} />}
        </AppShell.Header>
        <AppShell.Navbar className={classes.sidebar} data-closed={!opened || undefined}>
          <ScrollArea type="hover" h="100%" p="xs" viewportProps={{ tabIndex: -1 }}>
            <Navigation onGo={close} />
            <KindList onGo={close} />
          </ScrollArea>
        </AppShell.Navbar>
        <AppShell.Main className={classes.main}>
          <Box id="content" tabIndex={-1} className={classes.content}>
            <Gate key={changeSet} />
          </Box>
        </AppShell.Main>
      </AppShell>
    </QueryClientProvider>
  );
}

/** Chooses the view, where the server has more than one. */
function ViewMenu({ changeSet }: { changeSet: string }) {
  const services = useQuery(servicesQuery);
  return services.data?.has("changeset") === false && changeSet === "" ? null : <ChangeSetMenu current={changeSet} />;
}

/** The page, or, when the server refused one of its requests for that, the question who asks. */
function Gate() {
  const queries = useQueryClient();
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    const look = ({ error }: { error: unknown }) => setAsked((was) => was || isUnauthenticated(error));
    const stopQueries = queries.getQueryCache().subscribe(({ query }) => look(query.state));
    const stopMutations = queries.getMutationCache().subscribe(({ mutation }) => mutation && look(mutation.state));
    return () => {
      stopQueries();
      stopMutations();
    };
  }, [queries]);
  return asked ? <SignIn onSignedIn={() => setAsked(false)} /> : <Outlet />;
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
