import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTexts } from "../i18n/texts";
import { ProblemAlert } from "../shell/ProblemAlert";
import { usePageTitle } from "../shell/title";
import { CommonDialog } from "./CommonDialog";
import { OverrideTree } from "./OverrideTree";
import { PlaceFields } from "./PlaceFields";
import { choiceOf, overrideTarget, queryOf, type Choice, type Target } from "./place";
import { overrideQuery } from "./queries";
import { Workbench } from "./Workbench";
import classes from "./Workbench.module.css";

const route = getRouteApi("/overrides");

/** The overrides of an environment, and what its applications and pipelines get with them. */
export function OverridesPage() {
  const t = useTexts();
  const choice = choiceOf(route.useSearch());
  usePageTitle(choice.environment, t("common.overrides"));
  const navigate = route.useNavigate();
  const [finding, setFinding] = useState(false);
  const target = overrideTarget(choice);
  const choose = (change: Partial<Choice>) =>
    void navigate({ search: (before) => ({ ...before, ...nothingEmpty(change), path: undefined, side: undefined, overlap: undefined }) });
  return (
    <Stack className={classes.bench}>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {t("common.overrides")}
        </Title>
        <Button variant="default" size="xs" onClick={() => setFinding(true)}>{t("override.common")}</Button>
      </Group>
      {finding && <CommonDialog context={choice.context} onClose={() => setFinding(false)} />}
      <PlaceFields choice={choice} onChoose={choose} />
      {choice.cluster !== "" && choice.environment !== "" ? (
        <div className={classes.panes}>
          <div className={`${classes.pane} ${classes.treePane}`}><OverrideTree choice={choice} /></div>
          {target ? <Loaded key={queryOf(target)} choice={choice} target={target} /> : <Text role="status">{missing(t, choice)}</Text>}
        </div>
      ) : <Text role="status">{missing(t, choice)}</Text>}
    </Stack>
  );
}

function nothingEmpty(change: Partial<Choice>) {
  return Object.fromEntries(Object.entries(change).map(([name, value]) => [name, value === "" ? undefined : value]));
}

function missing(t: ReturnType<typeof useTexts>, { cluster, environment, namespace }: Choice): string {
  if (cluster === "" || environment === "") return t("override.chooseClusterAndEnvironment");
  return namespace === "" ? t("override.chooseNamespace") : t("override.chooseApplication");
}

function Loaded({ choice, target }: { choice: Choice; target: Target }) {
  const t = useTexts();
  const stored = useQuery(overrideQuery(target));
  if (stored.isError && !stored.data) return <ProblemAlert error={stored.error} />;
  if (!stored.data) return <Text role="status">{t("common.loading")}</Text>;
  return <Workbench choice={choice} target={target} stored={stored.data} />;
}
