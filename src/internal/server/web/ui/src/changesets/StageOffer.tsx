import { Alert, Stack, Text } from "@mantine/core";
import { isProtected, problemOf } from "../api/problem";
import { useTexts } from "../i18n/texts";
import { ProblemAlert } from "../shell/ProblemAlert";
import { StageForm } from "./StageForm";

interface Props {
  error: unknown;
  onStage?: (changeSet: string) => Promise<unknown>; // does in a change set what was refused
}

/** Why a write was refused; where that is because of a protection, the way to stage it instead. */
export function WriteProblem({ error, onStage }: Props) {
  return isProtected(error) && onStage ? <StageOffer error={error} onStage={onStage} /> : <ProblemAlert error={error} />;
}

function StageOffer({ error, onStage }: Required<Props>) {
  const t = useTexts();
  return (
    <Alert color="blue" title={t("changesets.protectedTitle")} role="alert">
      <Stack gap="sm">
        <Text size="sm">{problemOf(error).detail}</Text>
        <Text size="sm">{t("changesets.protectedText")}</Text>
        <StageForm onStage={onStage} />
      </Stack>
    </Alert>
  );
}
