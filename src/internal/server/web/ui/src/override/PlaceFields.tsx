import { Group, Input, SegmentedControl, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { Envelope } from "../api/documents";
import { documentsQuery } from "../api/queries";
import { useTexts } from "../i18n/texts";
import { formatId, nameOf } from "../model/ids";
import { Suggest } from "../shell/Suggest";
import { outlineQuery } from "./outline";
import { contexts, levelsOf, type Choice, type Context, type Level } from "./place";

interface Props {
  choice: Choice;
  onChoose: (change: Partial<Choice>) => void;
}

/** What the page is about: which environment, for what the parameters are, and what they apply to. */
export function PlaceFields({ choice, onChoose }: Props) {
  const t = useTexts();
  const { cluster, environment, context, level } = choice;
  const offers = useOffers(choice);
  const appliesTo = { environment: t("override.appliesToEnvironment"), namespace: t("override.appliesToNamespace"), application: t("override.appliesToApplication") }[level];
  const pipeline = context === "pipeline";
  return (
    <Stack gap="sm" component="section" aria-label={t("override.overrideOf")}>
      <Group align="flex-end" gap="sm">
        <Suggest label={t("override.cluster")} value={cluster} options={offers.clusters} onChoose={(next) => onChoose({ cluster: next, environment: "", namespace: "", application: "" })} />
        <Suggest label={t("common.environment")} value={environment} options={offers.environments} disabled={cluster === ""} onChoose={(next) => onChoose({ environment: next, namespace: "", application: "" })} />
        <Choose label={t("override.context")} value={context} onChange={(next) => onChoose({ context: next })} data={contexts.map((value) => ({ value, label: { deploy: t("override.contextDeploy"), runtime: t("override.contextRuntime"), pipeline: t("override.contextPipeline") }[value] }))} />
      </Group>
      <Group align="flex-end" gap="sm">
        <Choose label={t("override.level")} value={level} onChange={(next) => onChoose({ level: next })} data={levelsOf(context).map((value) => ({ value, label: { environment: t("override.levelEnvironment"), namespace: t("override.levelNamespace"), application: t("override.levelApplication") }[value] }))} />
        {!(pipeline && level === "environment") && <Suggest label={t("override.namespace")} value={choice.namespace} options={offers.namespaces} disabled={environment === ""} onChoose={(next) => onChoose({ namespace: next, application: "" })} />}
        {!pipeline && <Suggest label={t("common.application")} value={choice.application} options={offers.applications} disabled={choice.namespace === ""} onChoose={(next) => onChoose({ application: next })} />}
      </Group>
      <Text size="sm" c="dimmed">
        {appliesTo}
      </Text>
    </Stack>
  );
}

interface ChooseProps<Value extends Context | Level> {
  label: string;
  value: Value;
  data: { value: Value; label: string }[];
  onChange: (value: Value) => void;
}

function Choose<Value extends Context | Level>({ label, value, data, onChange }: ChooseProps<Value>) {
  return (
    <div>
      <Input.Label component="div">{label}</Input.Label>
      <div>
        <SegmentedControl maw="100%" styles={{ root: { flexWrap: "wrap" } }} aria-label={label} value={value} data={data} onChange={(next) => onChange(next as Value)} />
      </div>
    </div>
  );
}

/** What there is to choose from. */
function useOffers({ cluster, environment, namespace }: Choice) {
  const inCluster = formatId([{ name: "cluster", value: cluster }]);
  const clusters = useDocuments("cluster", "", true);
  const environments = useDocuments("environment", inCluster, cluster !== "");
  const namespaces = useQuery({ ...outlineQuery(cluster, environment), enabled: cluster !== "" && environment !== "" }).data?.namespaces ?? [];
  return {
    clusters: clusters.map((document) => nameOf(document.id)),
    environments: environments.map((document) => nameOf(document.id)),
    namespaces: namespaces.map(({ name }) => name),
    applications: namespaces.find(({ name }) => name === namespace)?.applications.map(({ name }) => name) ?? [],
  };
}

function useDocuments(kind: string, under: string, enabled: boolean): Envelope[] {
  const list = useInfiniteQuery({ ...documentsQuery({ kind, under }), enabled });
  return enabled ? (list.data?.pages.flatMap((page) => page.items) ?? []) : [];
}
