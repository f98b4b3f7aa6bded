import { Button, Checkbox, List, NativeSelect, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { modelQuery } from "../api/queries";
import { servicesQuery } from "../api/services";
import { changeSet } from "../api/view";
import { StageForm } from "../changesets/StageForm";
import { useTexts } from "../i18n/texts";
import { Dialog } from "../shell/Dialog";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ReasonButton } from "../shell/ReasonButton";
import type { Draft } from "./draft";
import { associationsQuery, outlineQuery } from "./outline";
import type { Target } from "./place";
import { namesIn, promote, receiversOf, withoutPromoted, type Receiver } from "./promote";
import { deleteOverride, saveOverride, versionIn } from "./queries";

interface Props {
  target: Target;
  draft: Draft;
  onDone: (changeSet: string) => Promise<void>;
}

/** Moves parameters of an override into a ParamSet that others use, too, in a change set. */
export function PromoteButton({ target, draft, frozen, onDone }: Props & { frozen?: string }) {
  const t = useTexts();
  const [open, setOpen] = useState(false);
  const runs = useQuery(servicesQuery).data?.has("changeset") === true;
  if (!runs) return null;
  return (
    <>
      <ReasonButton variant="default" reason={frozen ?? (draft.changed ? t("override.promoteSaveFirst") : undefined)} onClick={() => setOpen(true)}>{t("override.promote")}</ReasonButton>
      {open && <PromoteDialog target={target} draft={draft} onDone={onDone} onClose={() => setOpen(false)} />}
    </>
  );
}

function PromoteDialog({ target, draft, onDone, onClose }: Props & { onClose: () => void }) {
  const t = useTexts();
  const [cluster = "", environment = ""] = target.environmentId.split("/");
  const { text } = draft.base;
  const all = namesIn(text);
  const [names, setNames] = useState(all);
  const [chosen, setChosen] = useState<string>();
  const model = useQuery(modelQuery);
  const outline = useQuery(outlineQuery(cluster, environment));
  const associations = useQuery(associationsQuery(cluster, environment));
  const error = outline.error ?? associations.error ?? model.error;
  if (error) return <Dialog title={t("override.promoteTitle")} onClose={onClose}><ProblemAlert error={error} /></Dialog>;
  const receivers = outline.data && associations.data ? receiversOf(target, associations.data, new Map(outline.data.namespaces.map(({ name, postfix }) => [name, postfix]))) : [];
  const receiver = receivers.find(({ id }) => id === chosen) ?? receivers[0];
  const scopes: Record<Receiver["scope"], string> = { site: t("override.scopeSite"), cluster: t("override.scopeCluster"), environment: t("override.scopeEnvironment") };
  const stage = async (where: string) => {
    const path = receiver && model.data?.itemPath(receiver.id);
    const version = await versionIn(where, target, draft.base);
    if (path === undefined || version === undefined) return;
    const message = t("override.promoteMessage", { names: names.join(", ") });
    await promote(path, text, names, target.applicationName, message, where);
    if (names.length === all.length) await deleteOverride(target, version, message, where);
    else await saveOverride(target, withoutPromoted(text, names), version, message, where);
    onClose();
    await onDone(where);
  };
  return (
    <Dialog title={t("override.promoteTitle")} onClose={onClose}>
      <Stack>
        <Text size="sm">{t("override.promoteText")}</Text>
        {associations.isPending || outline.isPending ? <Text role="status">{t("common.loading")}</Text> : receivers.length === 0 ? <Text role="status">{t("override.promoteNowhere")}</Text> : (
          <>
            <Checkbox.Group label={t("override.parameters")} value={names} onChange={setNames}>
              <Stack gap={4} mt={4}>{all.map((name) => <Checkbox key={name} size="sm" value={name} label={<code>{name}</code>} />)}</Stack>
            </Checkbox.Group>
            <NativeSelect label={t("override.paramSet")} value={receiver?.id} onChange={(event) => setChosen(event.currentTarget.value)} data={receivers.map(({ id, name, scope }) => ({ value: id, label: `${name} (${scopes[scope]})` }))} />
            {receiver?.scope !== "environment" && <Text size="sm">{t("override.promoteReach")}</Text>}
            <Text size="sm" fw={600}>{t("override.promoteSteps")}</Text>
            <List size="sm">
              <List.Item>{t("override.promoteSets", { n: names.length, name: receiver?.name ?? "" })}</List.Item>
              <List.Item>{names.length === all.length ? t("override.promoteDeletes") : t("override.promoteKeeps", { n: all.length - names.length })}</List.Item>
            </List>
            {names.length > 0 && (changeSet() === "" ? <StageForm onStage={stage} /> : <Stage onStage={() => stage(changeSet())} />)}
          </>
        )}
      </Stack>
    </Dialog>
  );
}

/** Stages at once, where the page works in a change set. */
function Stage({ onStage }: { onStage: () => Promise<void> }) {
  const t = useTexts();
  const [failure, setFailure] = useState<Error>();
  const stage = async () => {
    try {
      await onStage();
    } catch (error) {
      setFailure(error as Error);
    }
  };
  return (
    <Stack gap="sm">
      <Button onClick={() => void stage()}>{t("common.stage")}</Button>
      {failure && <ProblemAlert error={failure} />}
    </Stack>
  );
}
