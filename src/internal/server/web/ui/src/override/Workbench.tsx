import { SegmentedControl, Select, Stack } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useBlocker } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { OverridesSearch, ViewSearch } from "../addresses";
import { useTexts } from "../i18n/texts";
import { isMapping } from "../yaml/merge";
import { AffectedPanel } from "./AffectedPanel";
import { EffectivePanel } from "./EffectivePanel";
import { OriginPanel } from "./Origin";
import { OverridePanel } from "./OverridePanel";
import { below } from "./below";
import { useDraft } from "./draft";
import { outlineQuery } from "./outline";
import { choiceOf, effectiveTarget, overrideTarget, queryOf, type Choice, type Target } from "./place";
import { effectiveQuery, type EffectiveSet, type Stored } from "./queries";
import { put, type Path } from "./rows";
import { secretsIn } from "./secrets";
import { reachOf, viewed } from "./side";
import classes from "./Workbench.module.css";

const route = getRouteApi("/overrides");

/** How long one does not type before what is to be is calculated. */
const typingPause = 400;

interface Props {
  choice: Choice;
  target: Target;
  stored: Stored;
}

/** An override that is edited, and beside it what comes of it, where its values come from, or who is affected. */
export function Workbench({ choice, target, stored }: Props) {
  const t = useTexts();
  const { side, view, path, overlap } = route.useSearch();
  const navigate = route.useNavigate();
  const [known, setKnown] = useState<EffectiveSet>(); // the last one, for which of its values are secret
  const secretOf = useMemo(() => secretsIn(known), [known]);
  const [settled, setSettled] = useState(false); // it is known what is secret, as far as it can be
  const draft = useDraft(target, stored, settled ? secretOf : undefined);
  const [focus, setFocus] = useState<Path>();
  const [touched, setTouched] = useState<Path>(); // what was edited last, which the result scrolls to
  const leaves = () => {
    if (!window.confirm(t("common.leaveUnsaved"))) return false;
    draft.discard();
    draft.setComment("");
    return true;
  };
  useBlocker({
    shouldBlockFn: ({ current, next }) => draft.changed && placeIn(current.search) !== placeIn(next.search) && !leaves(),
    enableBeforeUnload: draft.changed,
  });
  const outline = useQuery(outlineQuery(choice.cluster, choice.environment)).data;
  const shown = viewed(choice, outline);
  const of = effectiveTarget(shown);
  const [typed] = useDebouncedValue(draft.changed ? draft.text : undefined, typingPause);
  const text = draft.changed ? typed : undefined; // what is no draft any more is not waited for
  const { context, level } = choice;
  const included = text !== undefined && isMapping(text) && !(context === "pipeline" && level === "namespace");
  const query = effectiveQuery(of ?? target, overlap === "last", included ? { level, text } : undefined);
  const effective = useQuery({ ...query, enabled: of !== undefined });
  const { data } = effective;
  if (data && data !== known) setKnown(data);
  if (!settled && (of === undefined ? outline !== undefined : !effective.isPending)) setSettled(true);
  const without = useMemo(() => (data ? below(data, level) : undefined), [data, level]);
  const change = (at: Path, value: unknown) => {
    draft.setText(put(draft.text, at, value));
    setFocus(at);
    setTouched(at);
  };
  const show = (next: string, at = path) => void navigate({ search: (before) => ({ ...before, side: next === "result" ? undefined : next, path: at }) });
  const note = text === undefined ? undefined : included ? t("override.draftIncluded") : isMapping(text) ? t("override.draftNotUsed") : t("override.draftNotIncluded");
  const tab = side === "origin" || side === "affected" ? side : "result";
  return (
    <>
      <section className={classes.pane} aria-label={t("override.override")}>
        <OverridePanel onTouched={setTouched} target={target} draft={draft} secretOf={secretOf} focus={focus} asYaml={view === "yaml"} without={without} onView={(next) => void navigate({ search: (before) => ({ ...before, view: next }) })} onImpact={() => show("affected")} />
      </section>
      <section className={classes.pane} aria-label={t("override.beside")}>
        <Stack gap="sm">
          <SegmentedControl size="xs" fullWidth aria-label={t("override.beside")} value={tab} onChange={(next) => show(next)}
            data={[{ value: "result", label: t("override.sideResult") }, { value: "origin", label: t("override.sideOrigin") }, { value: "affected", label: t("override.sideAffected") }]} />
          {tab !== "affected" && <Viewed choice={choice} shown={shown} />}
          {tab === "affected" && <AffectedPanel choice={choice} target={target} text={text ?? draft.text} changed={included} />}
          {tab === "result" && <EffectivePanel touched={touched} choice={shown} target={of} set={effective} note={note} included={included} onPath={(next) => show("origin", next)} onLaterWins={() => void navigate({ search: (before) => ({ ...before, overlap: "last" }) })} />}
          {tab === "origin" && <OriginPanel choice={shown} set={data ?? undefined} path={path} onPath={(next) => show("origin", next)} onChange={change} />}
        </Stack>
      </section>
    </>
  );
}

/** Chooses the application whose effective set is shown, where an override applies to several. */
function Viewed({ choice, shown }: { choice: Choice; shown: Choice }) {
  const t = useTexts();
  const navigate = route.useNavigate();
  const outline = useQuery(outlineQuery(choice.cluster, choice.environment)).data;
  if (choice.context === "pipeline" || choice.level === "application" || !outline) return null;
  const reach = reachOf(choice, outline);
  const at = reach.findIndex((place) => place.namespace === shown.namespace && place.application === shown.application);
  return (
    <Select size="xs" label={t("override.viewedApplication")} searchable allowDeselect={false} value={at < 0 ? null : String(at)}
      data={reach.map((place, i) => ({ value: String(i), label: `${place.namespace} / ${place.application}` }))}
      onChange={(next) => void navigate({ search: (before) => ({ ...before, ...reach[Number(next)] }) })} />
  );
}

/** What an address is about, so that going to another side of it leaves nothing. */
function placeIn(search: OverridesSearch & ViewSearch): string | undefined {
  const target = overrideTarget(choiceOf(search));
  return target && `${queryOf(target)} ${search.changeSet}`;
}
