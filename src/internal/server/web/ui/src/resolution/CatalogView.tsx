import { Badge, Box, Flex, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { documentsQuery } from "../api/queries";
import { useTexts } from "../i18n/texts";
import { nameOf } from "../model/ids";
import { PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { packagesQuery } from "./catalogqueries";
import { PackageView } from "./PackageView";

const route = getRouteApi("/resolutions");

/** How many packages are listed at first; more are found by their names. */
const most = 300;

/** What the sources have: their packages with channels, versions and the upgrades between them. */
export default function CatalogView() {
  const t = useTexts();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(documentsQuery({ kind: "source" }));
  const names = list.data?.pages.flatMap(({ items }) => items.map(({ id }) => nameOf(id))) ?? [];
  const source = search.source ?? names[0];
  if (list.isError) return <ProblemAlert error={list.error} />;
  if (!list.data) return <Text role="status">{t("common.loading")}</Text>;
  if (source === undefined) return <Text>{t("resolution.noSources")}</Text>;
  const offered = names.includes(source) ? names : [source, ...names];
  return (
    <Flex gap="lg" align="flex-start" direction={{ base: "column", md: "row" }}>
      <Stack gap="xs" w={{ base: "100%", md: 250 }} flex="none">
        <NativeSelect label={t("resolution.source")} value={source} data={offered} onChange={(event) => { const { value } = event.currentTarget; void navigate({ search: { tab: "catalogs", source: value } }); }} />
        <Packages key={source} source={source} chosen={search.package} />
      </Stack>
      <Box flex={1} miw={0} w="100%">
        {search.package === undefined ? <Text>{t("resolution.choosePackage")}</Text> : <PackageView key={`${source} ${search.package}`} source={source} name={search.package} />}
      </Box>
    </Flex>
  );
}

function Packages({ source, chosen }: { source: string; chosen?: string }) {
  const t = useTexts();
  const [find, setFind] = useState("");
  const packages = useQuery(packagesQuery(source));
  if (packages.isError) return <ProblemAlert error={packages.error} />;
  if (!packages.data) return <Text role="status">{t("common.loading")}</Text>;
  const { names, more } = packages.data;
  const found = names.filter(({ name }) => name.toLowerCase().includes(find.trim().toLowerCase()));
  return (
    <>
      <TextInput data-filter label={t("resolution.findPackage")} value={find} onChange={(event) => setFind(event.currentTarget.value)} />
      <Text size="sm" c="dimmed" role="status">{t("resolution.packagesFound", { found: found.length, all: names.length })}{more && ` ${t("resolution.packagesPartial")}`}</Text>
      <Box component="nav" aria-label={t("resolution.packages")} mah={{ base: 240, md: "60vh" }} tabIndex={0} style={{ overflowY: "auto" }}>
        <Stack gap={2} component="ul" m={0} p={0} style={{ listStyle: "none" }}>
          {found.slice(0, most).map(({ name, deprecated }) => (
            <li key={name}>
              <PageLink data-move to="/resolutions" search={{ tab: "catalogs", source, package: name }} size="sm" aria-current={name === chosen || undefined} fw={name === chosen ? 700 : undefined} style={{ overflowWrap: "anywhere" }}>
                {name}
              </PageLink>{" "}
              {deprecated && <Badge size="xs" color="yellow" variant="outline" tt="none" c="var(--mantine-color-text)">{t("resolution.deprecated")}</Badge>}
            </li>
          ))}
        </Stack>
        {found.length > most && <Text size="sm">{t("common.andMore", { n: found.length - most })}</Text>}
      </Box>
    </>
  );
}
