import { Badge, Group, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { modelQuery } from "../api/queries";
import { servicesQuery } from "../api/services";
import { useTexts } from "../i18n/texts";
import { ProblemAlert } from "../shell/ProblemAlert";
import { usePageTitle } from "../shell/title";
import { Attention } from "./Attention";
import { GitPanel } from "./GitPanel";
import { KindTiles } from "./KindTiles";
import { OpenChangeSets } from "./OpenChangeSets";
import { Waiting } from "../shell/Waiting";
import { countsQuery, gitQuery, healthQuery } from "./queries";
import { Recent } from "./Recent";
import { Start } from "./Start";
import classes from "./Home.module.css";

/** What there is, how it is doing, what happened last; and, where there is nothing, what to do first. */
export function HomePage() {
  const t = useTexts();
  usePageTitle(t("common.home"));
  const model = useQuery(modelQuery);
  const counts = useQuery(countsQuery);
  const services = useQuery(servicesQuery);
  const git = useQuery({ ...gitQuery, enabled: model.data?.kind("instanceRepository") !== undefined });
  const error = model.error ?? counts.error;
  const waits = !model.data || services.isPending; // which decide what parts there are, one below the other on a phone
  const empty = counts.data !== undefined && Object.keys(counts.data.kinds).length === 0;
  return (
    <Stack gap="md" className={classes.page}>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {t("common.home")}
        </Title>
        <Health />
      </Group>
      {error && <ProblemAlert error={error} />}
      {waits && !error && <Waiting rows={8} />}
      {model.data && !waits && !error && (
        <>
          {empty && <Start model={model.data} />}
          <div className={classes.columns}>
            <Stack gap="md">
              <Attention git={git.data} />
              {services.data?.has("changeset") && <OpenChangeSets />}
            </Stack>
            <Stack gap="md" className={classes.main}>
              {!empty && <KindTiles model={model.data} counts={counts.data?.kinds} />}
              {git.data?.map((one) => <GitPanel key={one.name} git={one} />)}
              {counts.data && <Recent model={model.data} />}
            </Stack>
          </div>
        </>
      )}
    </Stack>
  );
}

/** How the server is doing, in a word. */
function Health() {
  const t = useTexts();
  const health = useQuery(healthQuery);
  if (health.isPending) return null;
  const status = health.data?.status ?? "failed";
  return (
    <Badge variant="default" size="lg" tt="none" fw={500} leftSection={<span className={classes.dot} data-status={status} style={{ display: "block", margin: 0 }} />} role="status">
      {{ ok: t("home.healthOk"), degraded: t("home.healthDegraded"), failed: t("home.healthFailed") }[status]}
    </Badge>
  );
}
