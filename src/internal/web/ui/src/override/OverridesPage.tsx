import { Stack, Tabs, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useBlocker } from "@tanstack/react-router";
import { useState } from "react";
import type { OverridesSearch, ViewSearch } from "../addresses";
import { useTexts } from "../i18n/texts";
import { ProblemAlert } from "../shell/ProblemAlert";
import { usePageTitle } from "../shell/title";
import { EffectivePanel } from "./EffectivePanel";
import { OverridePanel } from "./OverridePanel";
import { PlaceFields } from "./PlaceFields";
import { useDraft } from "./draft";
import { choiceOf, effectiveTarget, overrideTarget, queryOf, type Choice, type Target } from "./place";
import { overrideQuery, type Stored } from "./queries";
import { put, type Path } from "./rows";

const route = getRouteApi("/overrides");

/** The overrides of an environment, and what its applications and pipelines get with them. */
export function OverridesPage() {
  const t = useTexts();
  const choice = choiceOf(route.useSearch());
  usePageTitle(choice.environment, t("common.overrides"));
  const navigate = route.useNavigate();
  const target = overrideTarget(choice);
  const choose = (change: Partial<Choice>) =>
    void navigate({ search: (before) => ({ ...before, ...nothingEmpty(change), path: undefined, overlap: undefined }) });
  return (
    <Stack>
      <Title order={1} size="h2">
        {t("common.overrides")}
      </Title>
      <PlaceFields choice={choice} onChoose={choose} />
      {target ? <Loaded key={queryOf(target)} choice={choice} target={target} /> : <Text role="status">{missing(t, choice)}</Text>}
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

interface Props {
  choice: Choice;
  target: Target;
}

function Loaded({ choice, target }: Props) {
  const t = useTexts();
  const stored = useQuery(overrideQuery(target));
  if (stored.isError && !stored.data) return <ProblemAlert error={stored.error} />;
  if (!stored.data) return <Text role="status">{t("common.loading")}</Text>;
  return <Shown choice={choice} target={target} stored={stored.data} />;
}

function Shown({ choice, target, stored }: Props & { stored: Stored }) {
  const t = useTexts();
  const { tab = "override", view, path, overlap } = route.useSearch();
  const navigate = route.useNavigate();
  const draft = useDraft(stored);
  const [focus, setFocus] = useState<Path>();
  useBlocker({
    shouldBlockFn: ({ current, next }) => draft.changed && placeIn(current.search) !== placeIn(next.search) && !window.confirm(t("common.leaveUnsaved")),
    enableBeforeUnload: draft.changed,
  });
  const show = (next: string | null) => void navigate({ search: (before) => ({ ...before, tab: next === "override" || !next ? undefined : next, path: undefined }) });
  const change = (at: Path, value: unknown) => {
    draft.setText(put(draft.text, at, value));
    setFocus(at);
    show("override");
  };
  return (
    <Tabs value={tab} keepMounted={false} onChange={show}>
      <Tabs.List mb="sm">
        <Tabs.Tab value="override">{t("override.override")}</Tabs.Tab>
        <Tabs.Tab value="effective">{t("override.effectiveSet")}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="override">
        <OverridePanel target={target} draft={draft} focus={focus} asYaml={view === "yaml"} onView={(next) => void navigate({ search: (before) => ({ ...before, view: next }) })} />
      </Tabs.Panel>
      <Tabs.Panel value="effective">
        <EffectivePanel choice={choice} target={effectiveTarget(choice)} path={path} draft={draft.changed ? draft.text : undefined} laterWins={overlap === "last"} onChange={change}
          onPath={(next) => void navigate({ search: (before) => ({ ...before, path: next }) })}
          onLaterWins={() => void navigate({ search: (before) => ({ ...before, overlap: "last" }) })} />
      </Tabs.Panel>
    </Tabs>
  );
}

/** What an address is about, so that going to another tab of it leaves nothing. */
function placeIn(search: OverridesSearch & ViewSearch): string | undefined {
  const target = overrideTarget(choiceOf(search));
  return target && `${queryOf(target)} ${search.changeSet}`;
}
