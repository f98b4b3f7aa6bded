import { ActionIcon, AppShell, Box, Group, NativeSelect, Text, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, getRouteApi } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { newCache } from "../api/cache";
import { isUnauthenticated } from "../api/problem";
import { languages, useLanguage, useTexts, type Language } from "../i18n/texts";
import { ChangeSetBanner } from "../changesets/ChangeSetBanner";
import { ChangeSetMenu } from "../changesets/ChangeSetMenu";
import { SignIn } from "./SignIn";
import classes from "./Shell.module.css";

const route = getRouteApi("__root__");
const headerHeight = 56;
const bannerHeight = 44;

/** What is around every page: where one can go, the change set that it works in, the language, the colours. */
export function Shell() {
  const t = useTexts();
  const { changeSet = "" } = route.useSearch();
  const cache = useMemo(() => ({ changeSet, queries: newCache() }), [changeSet]); // what was read in one view is not shown in another
  const entries = [
    { to: "/explorer", label: t.explorer },
    { to: "/overrides", label: t.overrides },
    { to: "/descriptors", label: t.descriptors },
    { to: "/layering", label: t.layering },
    { to: "/resolutions", label: t.resolutions },
    { to: "/change-sets", label: t.changeSets },
    { to: "/activity", label: t.activity },
    { to: "/schema", label: t.schema },
  ] as const;
  return (
    <QueryClientProvider client={cache.queries}>
      <AppShell header={{ height: changeSet === "" ? headerHeight : headerHeight + bannerHeight }} padding="md">
        <a className={classes.skip} href="#content">
          {t.skipToContent}
        </a>
        <AppShell.Header>
          <Group h={headerHeight} px="md" gap="lg" wrap="nowrap">
            <Group gap="xs" wrap="nowrap" visibleFrom="sm">
              <img src="/ui/icon.svg" alt="" width={28} height={28} />
              <Text fw={700}>{t.appName}</Text>
            </Group>
            <Group component="nav" aria-label={t.mainNavigation} gap={4} wrap="nowrap" className={classes.entries}>
              {entries.map(({ to, label }) => (
                <Link key={to} to={to} className={classes.entry} activeOptions={{ includeSearch: false }}>
                  {label}
                </Link>
              ))}
            </Group>
            <ChangeSetMenu current={changeSet} />
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
