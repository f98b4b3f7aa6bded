import { ActionIcon, AppShell, Box, Group, NativeSelect, Text, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
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
import { Navigation } from "./Navigation";
import { SignIn } from "./SignIn";
import classes from "./Shell.module.css";

const route = getRouteApi("__root__");
const headerHeight = 56;
const entriesHeight = 40; // of the pages, which have a row of their own on a phone
const bannerHeight = 44;

/** What is around every page: where one can go, the change set that it works in, the language, the colours. */
export function Shell() {
  const t = useTexts();
  const { changeSet = "" } = route.useSearch();
  const cache = useMemo(() => ({ changeSet, queries: newCache() }), [changeSet]); // what was read in one view is not shown in another
  const banner = changeSet === "" ? 0 : bannerHeight;
  return (
    <QueryClientProvider client={cache.queries}>
      <AppShell header={{ height: { base: headerHeight + entriesHeight + banner, sm: headerHeight + banner } }} padding="md">
        <a className={classes.skip} href="#content">
          {t.skipToContent}
        </a>
        <AppShell.Header>
          <Group h={{ base: headerHeight + entriesHeight, sm: headerHeight }} px="md" gap="lg" className={classes.bar}>
            <Group gap="xs" wrap="nowrap" visibleFrom="sm">
              <img src="/ui/icon.svg" alt="" width={28} height={28} />
              <Text fw={700}>{t.appName}</Text>
            </Group>
            <Navigation />
            <PaletteButton />
            <ViewMenu changeSet={changeSet} />
            <LanguageSelect />
            <SchemeButton />
          </Group>
          {changeSet !== "" && <ChangeSetBanner key={changeSet} name={changeSet} height={bannerHeight} />}
        </AppShell.Header>
        <AppShell.Main>
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
      aria-label={t.language}
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
    <ActionIcon variant="default" size="md" aria-label={other === "dark" ? t.useDark : t.useLight} onClick={() => setColorScheme(other)}>
      {scheme === "dark" ? "☀" : "☾"}
    </ActionIcon>
  );
}
