import { Grid, Paper, Text, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense, lazy } from "react";
import { modelQuery } from "../api/queries";
import { useTexts } from "../i18n/texts";
import { ProblemAlert } from "../shell/ProblemAlert";
import { usePageTitle } from "../shell/title";
import { Waiting } from "../shell/Waiting";
import { NewMenu } from "./NewMenu";
import { BackToTree, SearchForm, SearchResults } from "./Search";
import { Tree } from "./Tree";

const route = getRouteApi("/explorer");
const DocumentView = lazy(() => import("./DocumentView"));
const KindTable = lazy(() => import("../table/KindTable"));

/** The hierarchy, the search, and the document that the address names; where it names a kind only, the documents of the kind. */
export function ExplorerPage() {
  const t = useTexts();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const model = useQuery(modelQuery);
  usePageTitle(search.id === undefined ? (search.kind ?? search.find) : (model.data?.titleOf(search.id) ?? search.id), t("common.explorer"));
  if (model.isError) return <ProblemAlert error={model.error} />;
  if (!model.data) return <Waiting rows={8} />;
  const select = (id: string) => void navigate({ search: (before) => ({ ...before, id, tab: before.tab, at: undefined, before: undefined, view: undefined }) });
  const listed = search.id === undefined && search.kind !== undefined ? model.data.kind(search.kind) : undefined;
  const reads = search.id !== undefined || listed !== undefined; // on a phone, what is read comes first, and has the window, so that the hierarchy below it does not move when it comes
  return (
    <>
      <VisuallyHidden component="h1">{t("common.explorer")}</VisuallyHidden>
      <Grid>
        <Grid.Col span={{ base: 12, md: 4, xl: 3 }} order={{ base: reads ? 2 : 1, md: 1 }}>
          <Paper withBorder p="sm" component="section" aria-label={t("explorer.hierarchy")}>
            <SearchForm key={`${search.by} ${search.find} ${search.kind}`} model={model.data} search={search} />
            {search.find === undefined && search.kind === undefined ? (
              <>
                <NewMenu kinds={model.data.childKinds()} under="" />
                <Tree model={model.data} selected={search.id ?? ""} onSelect={select} />
              </>
            ) : listed ? (
              <BackToTree search={search} />
            ) : (
              <SearchResults model={model.data} search={search} />
            )}
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8, xl: 9 }} order={{ base: reads ? 1 : 2, md: 2 }} mih={reads ? { base: "calc(100dvh - 90px)", md: 0 } : undefined}>
          <Suspense fallback={<Waiting rows={8} />}>
            {listed && <KindTable key={listed.name} model={model.data} kind={listed} search={search} />}
            {search.id === undefined ? !listed && <Text>{t("explorer.chooseDocument")}</Text> : <DocumentView key={search.id} model={model.data} id={search.id} tab={search.tab} depth={search.depth} at={search.at} before={search.before} view={search.view} />}
          </Suspense>
        </Grid.Col>
      </Grid>
    </>
  );
}
