import { Skeleton, Tabs, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense, lazy } from "react";
import { modelQuery } from "../api/queries";
import { useTexts } from "../i18n/texts";
import { ProblemAlert } from "../shell/ProblemAlert";
import { usePageTitle } from "../shell/title";
import { Explain } from "./Explain";
import { Impact } from "./Impact";
import { pictureHeight } from "./height";

const route = getRouteApi("/schema");
const KindsPicture = lazy(() => import("./KindsPicture"));

/** The ref-schema in force: a picture of its kinds, each in words, and what another one would do. */
export function SchemaPage() {
  const t = useTexts();
  const { kind, tab = "picture" } = route.useSearch();
  usePageTitle(kind, t("common.schema"));
  const navigate = route.useNavigate();
  const model = useQuery(modelQuery);
  if (model.isError) return <ProblemAlert error={model.error} />;
  if (!model.data) return <Text role="status">{t("common.loading")}</Text>;
  const choose = (name: string | undefined) => void navigate({ search: (before) => ({ ...before, kind: name }) });
  return (
    <>
      <Title order={1} size="h2" mb="sm">
        {t("common.schema")}
      </Title>
      <Tabs value={tab} keepMounted={false} onChange={(next) => void navigate({ search: (before) => ({ ...before, tab: next === "picture" || !next ? undefined : next }) })}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="picture">{t("schema.picture")}</Tabs.Tab>
          <Tabs.Tab value="impact">{t("schema.impact")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="picture">
          <Suspense fallback={<Skeleton role="status" aria-label={t("common.loading")} height={pictureHeight} />}>
            <KindsPicture model={model.data} chosen={kind} onOpen={choose} />
          </Suspense>
          <Explain model={model.data} name={kind} onChoose={choose} />
        </Tabs.Panel>
        <Tabs.Panel value="impact">
          <Impact model={model.data} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
