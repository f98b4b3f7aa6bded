import { Autocomplete, Button, Group, Stack, Tabs, Text, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { documentsQuery } from "../api/queries";
import { useTexts } from "../i18n/texts";
import { nameOf } from "../model/ids";
import { ProblemAlert } from "../shell/ProblemAlert";
import { usePageTitle } from "../shell/title";
import { DescriptorView } from "./DescriptorView";
import { Merge } from "./Merge";
import { descriptorQuery, type Part } from "./queries";

const route = getRouteApi("/descriptors");

/** The solution descriptors of one environment, and the merge of another one into them. */
export function DescriptorsPage() {
  const t = useTexts();
  const { environment, tab = "full" } = route.useSearch();
  usePageTitle(environment && nameOf(environment), t("common.descriptors"));
  const navigate = route.useNavigate();
  return (
    <Stack>
      <Title order={1} size="h2">
        {t("common.descriptors")}
      </Title>
      <EnvironmentField key={environment} environment={environment} onChoose={(next) => void navigate({ search: (before) => ({ ...before, environment: next }) })} />
      {environment === undefined ? (
        <Text>{t("solution.chooseEnvironment")}</Text>
      ) : (
        <Tabs value={tab} keepMounted={false} onChange={(next) => void navigate({ search: (before) => ({ ...before, tab: next === "full" || !next ? undefined : next }) })}>
          <Tabs.List mb="sm">
            <Tabs.Tab value="full">{t("solution.fullDescriptor")}</Tabs.Tab>
            <Tabs.Tab value="delta">{t("solution.deltaDescriptor")}</Tabs.Tab>
            <Tabs.Tab value="merge">{t("solution.mergeTitle")}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="full">
            <Stored environment={environment} part="full" />
          </Tabs.Panel>
          <Tabs.Panel value="delta">
            <Stored environment={environment} part="delta" />
          </Tabs.Panel>
          <Tabs.Panel value="merge">
            <Merge key={environment} environment={environment} />
          </Tabs.Panel>
        </Tabs>
      )}
    </Stack>
  );
}

interface FieldProps {
  environment?: string;
  onChoose: (environment: string) => void;
}

/** Offers the environments that there are; one that is further down the list can be written. */
function EnvironmentField({ environment, onChoose }: FieldProps) {
  const t = useTexts();
  const [text, setText] = useState(environment ?? "");
  const list = useInfiniteQuery(documentsQuery({ kind: "environment" }));
  const found = list.data?.pages.flatMap((page) => page.items.map(({ key }) => `${key.cluster}/${key.environment}`)) ?? [];
  if (list.isError) return <ProblemAlert error={list.error} />;
  if (list.isSuccess && found.length === 0) return <Text>{t("solution.noEnvironments")}</Text>;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text !== "") onChoose(text);
      }}
    >
      <Group align="flex-end" gap="xs">
        <Autocomplete label={t("common.environment")} value={text} onChange={setText} onOptionSubmit={onChoose} data={found} limit={20} w={360} />
        <Button type="submit" variant="default" disabled={text === ""}>
          {t("solution.show")}
        </Button>
      </Group>
    </form>
  );
}

function Stored({ environment, part }: { environment: string; part: Part }) {
  const t = useTexts();
  const stored = useQuery(descriptorQuery(environment, part));
  if (stored.isError) return <ProblemAlert error={stored.error} />;
  if (stored.isPending) return <Text role="status">{t("common.loading")}</Text>;
  return stored.data ? <DescriptorView descriptor={stored.data} label={part === "full" ? t("solution.fullDescriptor") : t("solution.deltaDescriptor")} /> : <Text>{t("solution.noDescriptor")}</Text>;
}
