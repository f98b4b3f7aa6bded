import { Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { modelQuery } from "../api/queries";
import { useTexts } from "../i18n/texts";
import { ButtonLink, DocumentLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { usePageTitle } from "../shell/title";
import { InlineCreate } from "./InlineCreate";
import { NewDocument } from "./NewDocument";

const route = getRouteApi("/explorer/new");

/** Where a document is created. The address says its kind and what it will be below. */
export function NewPage() {
  const t = useTexts();
  const { under = "", kind: name = "" } = route.useSearch();
  const navigate = route.useNavigate();
  usePageTitle(t("common.newOf", { kind: name }), t("common.explorer"));
  const model = useQuery(modelQuery);
  if (model.isError) return <ProblemAlert error={model.error} />;
  if (!model.data) return <Text role="status">{t("common.loading")}</Text>;
  const kind = model.data.kind(name);
  const collection = kind && model.data.collectionPath(kind, under);
  if (!kind || !collection) return <Text role="alert">{t("explorer.noPath")}</Text>;
  return (
    <Stack>
      <Title order={1} size="h2">
        {t("common.newOf", { kind: kind.name })}
      </Title>
      {under !== "" && (
        <Text>
          {t("explorer.newIn", { parent: "" })} <DocumentLink id={under} />
        </Text>
      )}
      {kind.description && <Text c="dimmed">{kind.description}</Text>}
      <InlineCreate model={model.data}>
        <NewDocument key={collection} model={model.data} kind={kind} under={under} collection={collection}
          cancel={
            <ButtonLink variant="default" to="/explorer" search={under === "" ? {} : { id: under }}>
              {t("common.cancel")}
            </ButtonLink>
          }
          onCreated={(id, changeSet) => navigate({ to: "/explorer", search: (now) => ({ id, changeSet: changeSet ?? now.changeSet }) })} />
      </InlineCreate>
    </Stack>
  );
}
