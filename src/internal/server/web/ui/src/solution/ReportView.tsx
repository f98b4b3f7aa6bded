import { Alert, List, Stack, Table, Text, Title } from "@mantine/core";
import { useMemo } from "react";
import { stringify } from "yaml";
import type { components } from "../api/openapi";
import { useTexts } from "../i18n/texts";
import { ChangeBadge } from "../shell/ChangeBadge";
import { WideTable } from "../shell/WideTable";
import { YamlDiff } from "../yaml/lazy";
import { DeployGraph } from "./DeployGraph";
import { chunksOf, compareChunks, type Descriptor } from "./descriptor";
import type { Report } from "./queries";

type Written = components["schemas"]["SolutionWritten"];

interface Props {
  report: Report;
  full?: Descriptor;
  delta?: Descriptor;
}

/** What a merge would do: warnings, and for each descriptor what changes. */
export function ReportView({ report, full, delta }: Props) {
  const t = useTexts();
  return (
    <Stack component="section" aria-label={t("common.previewTitle")}>
      <Title order={2} size="h3">
        {t("common.previewTitle")}
      </Title>
      {report.warnings.length > 0 && (
        <Alert color="yellow" title={t("solution.warnings")}>
          <List size="sm">
            {report.warnings.map((warning) => (
              <List.Item key={`${warning.code} ${warning.path} ${warning.message}`}>
                {warning.message} {warning.remedy && <>— {warning.remedy} </>}
                <code>{warning.code}</code>
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {report.full && <WrittenView title={t("solution.previewFull")} written={report.full} before={full} />}
      {report.delta && <WrittenView title={t("solution.previewDelta")} written={report.delta} before={delta} />}
    </Stack>
  );
}

interface WrittenProps {
  title: string;
  written: Written;
  before?: Descriptor;
}

function WrittenView({ title, written, before }: WrittenProps) {
  const t = useTexts();
  const chunks = useMemo(() => compareChunks(before && chunksOf(before), chunksOf(written.sd)), [before, written.sd]);
  const texts = useMemo(() => ({ before: before ? stringify(before, { lineWidth: 0 }) : "", after: stringify(written.sd, { lineWidth: 0 }) }), [before, written.sd]);
  const effects = { created: t("common.effectCreated"), updated: t("common.effectUpdated"), unchanged: t("common.effectUnchanged") };
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Title order={3} size="h4">
        {title}: {effects[written.effect]}
      </Title>
      {written.changes.length === 0 ? <Text>{t("common.unchanged")}</Text> : <Changes changes={written.changes} />}
      {chunks.length > 0 && <DeployGraph chunks={chunks} label={`${t("solution.deployGraph")}: ${title}`} />}
      {texts.before !== texts.after && <YamlDiff before={texts.before} after={texts.after} beforeLabel={t("common.reviewBefore")} afterLabel={title} />}
    </Stack>
  );
}

function Changes({ changes }: { changes: Written["changes"] }) {
  const t = useTexts();
  return (
    <WideTable>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("common.change")}</Table.Th>
          <Table.Th>{t("solution.what")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {changes.map(({ change, path, message }) => (
          <Table.Tr key={`${change} ${path} ${message}`}>
            <Table.Td>
              <ChangeBadge change={change} />
            </Table.Td>
            <Table.Td>{message}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
