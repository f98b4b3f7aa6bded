import { Alert, Button, Group, NativeSelect, Stack, Table, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { api, bodyOf } from "../api/client";
import { ApiError } from "../api/problem";
import { useTexts } from "../i18n/texts";
import type { Model } from "../model/kinds";
import { DocumentLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { WideTable } from "../shell/WideTable";
import { serverMarks, syntaxMarks } from "../yaml/diagnostics";
import { YamlEditor } from "../yaml/lazy";

/** One thing that is stored and does not fit. */
interface Finding {
  problem: string;
  id?: string;
  other?: string;
  message: string;
}

/** What the server answers about another ref-schema. */
interface Answer {
  findings: Finding[];
  total: number;
}

/** The sources of the ref-schema, to be changed here, and what that would do to what is stored. */
export function Impact({ model }: { model: Model }) {
  const t = useTexts();
  const [sources, setSources] = useState(model.sources);
  const [name, setName] = useState(model.sources[0]?.name ?? "");
  const text = sources.find((source) => source.name === name)?.text ?? "";
  const ask = useMutation({
    mutationFn: async () => bodyOf(await api.POST("/v2/schema/impact", { body: { sources } })) as unknown as Answer,
  });
  const marks = useMemo(() => marksOf(name, text, ask.error), [name, text, ask.error]);
  const change = (next: string) => {
    setSources(sources.map((source) => (source.name === name ? { name, text: next } : source)));
    ask.reset();
  };
  return (
    <Stack gap="sm">
      <Text>{t("schema.impactText")}</Text>
      {sources.length > 1 && <NativeSelect label={t("schema.source")} value={name} data={sources.map((source) => source.name)} onChange={(e) => setName(e.currentTarget.value)} maw={360} />}
      <YamlEditor label={`${t("schema.source")} ${name}`} value={text} onChange={change} marks={marks} height="45vh" />
      <Group>
        <Button loading={ask.isPending} onClick={() => ask.mutate()}>
          {t("schema.impactRun")}
        </Button>
        <Button
          variant="default"
          onClick={() => {
            setSources(model.sources);
            ask.reset();
          }}
        >
          {t("common.reset")}
        </Button>
      </Group>
      {ask.isError && <ProblemAlert error={ask.error} />}
      {ask.data && <Findings answer={ask.data} />}
    </Stack>
  );
}

function marksOf(name: string, text: string, error: unknown) {
  const syntax = syntaxMarks(text);
  if (syntax.length > 0 || !(error instanceof ApiError)) return syntax;
  const here = error.problem.errors?.filter((part) => part.file === name) ?? [];
  return here.length === 0 ? [] : serverMarks(text, { ...error.problem, errors: here });
}

function Findings({ answer }: { answer: Answer }) {
  const t = useTexts();
  if (answer.total === 0) {
    return (
      <Alert color="green" role="status">
        {t("schema.impactNone")}
      </Alert>
    );
  }
  return (
    <section aria-label={t("schema.impact")}>
      <Text fw={600} role="status">
        {t("schema.impactFound", { n: answer.total })}
      </Text>
      <WideTable>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("schema.findingDocument")}</Table.Th>
            <Table.Th>{t("common.findingProblem")}</Table.Th>
            <Table.Th>{t("common.findingMessage")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {answer.findings.map((finding) => (
            <Table.Tr key={`${finding.id} ${finding.problem} ${finding.other} ${finding.message}`}>
              <Table.Td>{finding.id && <DocumentLink id={finding.id} />}</Table.Td>
              <Table.Td>
                <code>{finding.problem}</code>
              </Table.Td>
              <Table.Td>{finding.message}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
      {answer.findings.length < answer.total && <Text size="sm">{t("common.deleteShown", { shown: answer.findings.length, total: answer.total })}</Text>}
    </section>
  );
}
