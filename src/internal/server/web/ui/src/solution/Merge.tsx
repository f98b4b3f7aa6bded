import { Alert, Button, FileButton, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { ApiError } from "../api/problem";
import { useTexts } from "../i18n/texts";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ReasonButton } from "../shell/ReasonButton";
import { useReadOnly } from "../view/moment";
import { serverMarks, syntaxMarks } from "../yaml/diagnostics";
import { YamlEditor } from "../yaml/lazy";
import { descriptorQuery, modes, processDelta, type Mode } from "./queries";
import { ReportView } from "./ReportView";

/** Where a descriptor is given, looked at in its effect, and merged. */
export function Merge({ environment }: { environment: string }) {
  const t = useTexts();
  const queries = useQueryClient();
  const [text, setText] = useState("");
  const [mode, setMode] = useState<Mode>("basic-merge");
  const full = useQuery(descriptorQuery(environment, "full"));
  const delta = useQuery(descriptorQuery(environment, "delta"));
  const past = useReadOnly();
  const preview = useMutation({ mutationFn: () => processDelta(environment, text, mode, true) });
  const apply = useMutation({
    mutationFn: () => processDelta(environment, text, mode, false),
    onSuccess: async () => {
      preview.reset();
      await queries.invalidateQueries();
    },
  });
  const edit = (next: string, nextMode: Mode) => {
    setText(next);
    setMode(nextMode);
    preview.reset();
    apply.reset();
  };
  const error = preview.error ?? apply.error;
  const marks = useMemo(() => marksOf(text, error), [text, error]);
  const labels: Record<Mode, string> = { "basic-merge": t("solution.modeBasic"), "basic-exclusion-merge": t("solution.modeExclusion"), "extended-merge": t("solution.modeExtended"), replace: t("solution.modeReplace") };
  return (
    <Stack>
      <Text>{t("solution.incomingHint")}</Text>
      <YamlEditor label={t("solution.incoming")} value={text} onChange={(next) => edit(next, mode)} marks={marks} height="40vh" />
      <Group align="flex-end">
        <FileButton onChange={(file) => void file?.text().then((content) => edit(content, mode))} accept=".yaml,.yml,.json">
          {(props) => (
            <Button variant="default" {...props}>
              {t("solution.upload")}
            </Button>
          )}
        </FileButton>
        <NativeSelect label={t("solution.mode")} value={mode} onChange={(e) => edit(text, e.currentTarget.value as Mode)} data={modes.map((value) => ({ value, label: labels[value] }))} />
        <ReasonButton variant="default" reason={past} disabled={past === undefined && text.trim() === ""} loading={preview.isPending} onClick={() => preview.mutate()}>
          {t("solution.preview")}
        </ReasonButton>
        <ReasonButton reason={past} disabled={past === undefined && !preview.data} loading={apply.isPending} onClick={() => apply.mutate()}>
          {t("common.apply")}
        </ReasonButton>
      </Group>
      {error && <ProblemAlert error={error} />}
      {apply.data && (
        <Alert color="green" role="status">
          {t("solution.applied")}
        </Alert>
      )}
      {preview.data && <ReportView report={preview.data} full={full.data ?? undefined} delta={delta.data ?? undefined} />}
    </Stack>
  );
}

/** The parameter in which the text goes to the server, and under which its errors come back. */
const parameter = "SD_DATA";

function marksOf(text: string, error: unknown) {
  const syntax = syntaxMarks(text);
  if (syntax.length > 0 || !(error instanceof ApiError)) return syntax;
  const here = error.problem.errors?.filter((part) => part.file === parameter) ?? [];
  return here.length === 0 ? [] : serverMarks(text, { ...error.problem, errors: here });
}
