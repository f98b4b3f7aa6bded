import { Badge, Box, Button, Flex, Stack, Tabs, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense, lazy } from "react";
import { documentsQuery } from "../api/queries";
import { useTexts } from "../i18n/texts";
import { nameOf } from "../model/ids";
import { PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { usePageTitle } from "../shell/title";
import { ResolutionView } from "./ResolutionView";
import type { Resolution, Status } from "./queries";

const CatalogView = lazy(() => import("./CatalogView"));
const route = getRouteApi("/resolutions");

/** The ActiveResolutions, what each selects and why, or why it cannot; and the catalogs that they select from. */
export function ResolutionsPage() {
  const t = useTexts();
  const { name, tab, package: shown } = route.useSearch();
  const navigate = route.useNavigate();
  const catalogs = tab === "catalogs";
  usePageTitle(catalogs ? shown : name, catalogs ? t("resolution.catalogs") : t("common.resolutions"));
  return (
    <>
      <Title order={1} size="h2" mb="sm">
        {t("common.resolutions")}
      </Title>
      <Tabs value={catalogs ? "catalogs" : "resolutions"} keepMounted={false} onChange={(next) => void navigate({ search: next === "catalogs" ? { tab: next } : {} })}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="resolutions">{t("common.resolutions")}</Tabs.Tab>
          <Tabs.Tab value="catalogs">{t("resolution.catalogs")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="resolutions">
          <Resolutions name={name} />
        </Tabs.Panel>
        <Tabs.Panel value="catalogs">
          <Suspense fallback={<Text role="status">{t("common.loading")}</Text>}>
            <CatalogView />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function Resolutions({ name }: { name?: string }) {
  const t = useTexts();
  const list = useInfiniteQuery(documentsQuery({ kind: "activeResolution" }));
  if (list.isError) return <ProblemAlert error={list.error} />;
  if (!list.data) return <Text role="status">{t("common.loading")}</Text>;
  const all = list.data.pages.flatMap((page) => page.items) as Resolution[];
  if (all.length === 0) return <Text>{t("resolution.noResolutions")}</Text>;
  return (
    <Flex gap="lg" align="flex-start" direction={{ base: "column", md: "row" }}>
      <Stack gap={4} w={250} flex="none" component="nav" aria-label={t("common.resolutions")}>
        {all.map(({ id, status }) => (
          <Flex key={id} gap="xs" justify="space-between" align="center">
            <PageLink data-move to="/resolutions" search={{ name: nameOf(id) }} aria-current={nameOf(id) === name || undefined} fw={nameOf(id) === name ? 700 : undefined} style={{ overflowWrap: "anywhere" }}>
              {nameOf(id)}
            </PageLink>
            <ResolvedBadge status={status} />
          </Flex>
        ))}
        {list.hasNextPage && <Button variant="default" size="xs" onClick={() => void list.fetchNextPage()}>{t("common.more")}</Button>}
      </Stack>
      <Box flex={1} miw={0} w="100%">
        {name === undefined ? <Text>{t("resolution.chooseResolution")}</Text> : <ResolutionView key={name} name={name} />}
      </Box>
    </Flex>
  );
}

/** In a word, by a sign and in colour, whether there is a solution. */
function ResolvedBadge({ status }: { status?: Status }) {
  const t = useTexts();
  const resolved = status?.conditions?.find(({ type }) => type === "Resolved")?.status;
  const [color, text] = resolved === "True" ? ["green", `✓ ${t("resolution.resolved")}`] : resolved === "False" ? ["red", `✕ ${t("resolution.unresolved")}`] : ["gray", `… ${t("resolution.pending")}`];
  return <Badge color={color} variant="outline" tt="none" c="var(--mantine-color-text)" miw="max-content">{text}</Badge>;
}
