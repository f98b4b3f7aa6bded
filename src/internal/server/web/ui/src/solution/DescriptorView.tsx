import { Stack, Table, Text, Title } from "@mantine/core";
import { useMemo } from "react";
import { stringify } from "yaml";
import { useTexts } from "../i18n/texts";
import { YamlEditor } from "../yaml/lazy";
import { WideTable } from "../shell/WideTable";
import { DeployGraph } from "./DeployGraph";
import { applicationsOf, chunksOf, compareChunks, type Descriptor } from "./descriptor";

interface Props {
  descriptor: Descriptor;
  label: string;
}

/** A descriptor: its applications, the order in which they are deployed, and all of it as text. */
export function DescriptorView({ descriptor, label }: Props) {
  const t = useTexts();
  const text = useMemo(() => stringify(descriptor, { lineWidth: 0 }), [descriptor]);
  const chunks = useMemo(() => compareChunks(undefined, chunksOf(descriptor)), [descriptor]);
  return (
    <Stack>
      <Title order={2} size="h4">
        {t("solution.deployGraph")}
      </Title>
      {chunks.length === 0 ? <Text c="dimmed">{t("solution.noDeployGraph")}</Text> : <DeployGraph chunks={chunks} label={t("solution.deployGraph")} />}
      <Title order={2} size="h4">
        {t("solution.applications")}
      </Title>
      <Applications descriptor={descriptor} />
      <Title order={2} size="h4">
        {t("solution.resultAsText")}
      </Title>
      <YamlEditor label={t("common.yamlOf", { name: label })} value={text} />
    </Stack>
  );
}

function Applications({ descriptor }: { descriptor: Descriptor }) {
  const t = useTexts();
  const applications = applicationsOf(descriptor);
  return (
    <Table.ScrollContainer minWidth={480} type="native" tabIndex={0}>
      <WideTable>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("common.application")}</Table.Th>
            <Table.Th>{t("solution.version")}</Table.Th>
            <Table.Th>{t("solution.deployPostfix")}</Table.Th>
            <Table.Th>{t("solution.alias")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {applications.map(({ name, version, deployPostfix, alias }) => (
            <Table.Tr key={`${name} ${deployPostfix} ${alias}`}>
              <Table.Td>{name}</Table.Td>
              <Table.Td>{version}</Table.Td>
              <Table.Td>{deployPostfix}</Table.Td>
              <Table.Td>{alias}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </Table.ScrollContainer>
  );
}
