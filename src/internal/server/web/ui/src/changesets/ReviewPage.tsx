import { Breadcrumbs, Grid, Group, Stack, Tabs, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { isNotFound } from "../api/problem";
import { useTexts } from "../i18n/texts";
import { PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { usePageTitle } from "../shell/title";
import { When } from "../shell/When";
import { Actions } from "./Actions";
import { Changes } from "./Changes";
import { Checks } from "./Checks";
import { Conversation } from "./Conversation";
import { ImpactPanel } from "./ImpactPanel";
import { changeSetQuery, type ChangeSet } from "./queries";
import { titleOf } from "./review";
import { StateBadge } from "./StateBadge";
import { StepBox } from "./StepBox";

const route = getRouteApi("/change-sets");

interface Props {
  name: string;
  tab?: string;
  view?: string;
}

/** All about one change set: what it is for, what it changes, what is in its way, and the next step. */
export function ReviewPage({ name, ...rest }: Props) {
  const t = useTexts();
  const { data, error, isError } = useQuery(changeSetQuery(name));
  return (
    <Stack gap="sm">
      <Breadcrumbs>
        <PageLink to="/change-sets" search={{}} size="sm">
          {t("common.changeSets")}
        </PageLink>
      </Breadcrumbs>
      {!data && (
        <Title order={1} size="h2" style={{ overflowWrap: "anywhere" }}>
          {name}
        </Title>
      )}
      {isError && !data && (isNotFound(error) ? <Text role="alert">{t("changesets.noChangeSet")}</Text> : <ProblemAlert error={error} />)}
      {!isError && !data && <Text role="status">{t("common.loading")}</Text>}
      {data && <Shown changeSet={data} {...rest} />}
    </Stack>
  );
}

function Shown({ changeSet, tab = "conversation", view }: { changeSet: ChangeSet; tab?: string; view?: string }) {
  const t = useTexts();
  usePageTitle(titleOf(changeSet), t("common.changeSets"));
  const navigate = route.useNavigate();
  const show = (next: string | null) => void navigate({ search: (now) => ({ ...now, tab: next === "conversation" || !next ? undefined : next }) });
  return (
    <>
      <Heading changeSet={changeSet} />
      <Grid>
        <Grid.Col span={{ base: 12, lg: 4 }} order={{ base: 1, lg: 2 }}>
          <StepBox changeSet={changeSet} onShow={show} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 8 }} order={{ base: 2, lg: 1 }}>
          <Tabs value={tab} keepMounted={false} onChange={show}>
            <Tabs.List mb="sm">
              <Tabs.Tab value="conversation">{t("changesets.conversation")}</Tabs.Tab>
              <Tabs.Tab value="changes">{t("changesets.changesTab", { n: changeSet.total })}</Tabs.Tab>
              <Tabs.Tab value="impact">{t("changesets.mergeImpact")}</Tabs.Tab>
              {changeSet.state === "open" && <Tabs.Tab value="checks">{t("changesets.checks")}</Tabs.Tab>}
            </Tabs.List>
            <Tabs.Panel value="conversation">
              <Conversation changeSet={changeSet} />
            </Tabs.Panel>
            <Tabs.Panel value="changes">
              <Changes changeSet={changeSet} asValues={view === "values"} onView={(next) => void navigate({ search: (now) => ({ ...now, view: next }), replace: true })} />
            </Tabs.Panel>
            <Tabs.Panel value="impact">
              <ImpactPanel changeSet={changeSet} />
            </Tabs.Panel>
            <Tabs.Panel value="checks">
              <Checks changeSet={changeSet} />
            </Tabs.Panel>
          </Tabs>
        </Grid.Col>
      </Grid>
    </>
  );
}

function Heading({ changeSet }: { changeSet: ChangeSet }) {
  const t = useTexts();
  const { name, state, author, created, base } = changeSet;
  return (
    <>
      <Group justify="space-between" align="flex-start">
        <Group gap="xs">
          <Title order={1} size="h2" style={{ overflowWrap: "anywhere" }}>
            {titleOf(changeSet)}
          </Title>
          <StateBadge state={state} />
        </Group>
        <Actions changeSet={changeSet} />
      </Group>
      <Text size="sm" c="dimmed">
        <code>{name}</code> · {author || t("common.unknownUser")}, <When time={created} /> · {t("changesets.basePosition")} <code>{base}</code>
      </Text>
    </>
  );
}
