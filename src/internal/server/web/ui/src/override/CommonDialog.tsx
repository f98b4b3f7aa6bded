import { Alert, Button, Checkbox, Code, Group, List, NativeSelect, Stack, Table, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { problemOf } from "../api/problem";
import { changeSet } from "../api/view";
import { StageInstead } from "../changesets/StageInstead";
import { WriteProblem } from "../changesets/StageOffer";
import { usePlace, useStaging } from "../changesets/staging";
import { useView } from "../changesets/view";
import { useTexts } from "../i18n/texts";
import { dots } from "../model/secrets";
import { Dialog } from "../shell/Dialog";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ReasonButton } from "../shell/ReasonButton";
import { WideTable } from "../shell/WideTable";
import { useReadOnly } from "../view/moment";
import { commonQuery, locationsFor, moveCommon, type Common, type Destination, type Moved } from "./common";
import type { Context } from "./place";
import { secretsIn } from "./secrets";

/** How many parameters, and differences, are listed at most. */
const most = 200;

const none: string[] = [];

const secretOf = secretsIn(undefined);

/** The value of a parameter, or dots for one that has the name of a secret. */
const shownValue = (name: string, value: string | undefined) => (value !== undefined && secretOf(name.split("/"), value) ? dots : value);

/** Finds parameters that overrides of several environments set alike, and moves one into a ParamSet that all of these use. */
export function CommonDialog({ context, onClose }: { context: Context; onClose: () => void }) {
  const t = useTexts();
  const [chosen, setChosen] = useState<Common>();
  const list = useQuery(commonQuery(context));
  return (
    <Dialog title={t("override.commonTitle")} size="xl" onClose={onClose}>
      {chosen ? <MoveForm common={chosen} onBack={() => setChosen(undefined)} onClose={onClose} /> : (
        <Stack>
          <Text size="sm">{t("override.commonText")}</Text>
          {list.isError && <ProblemAlert error={list.error} />}
          {list.isPending && <Text role="status">{t("common.loading")}</Text>}
          {list.data?.length === 0 && <Text role="status">{t("override.commonNone")}</Text>}
          {list.data && list.data.length > 0 && (
            <WideTable aria-label={t("override.commonTitle")} minWidth={480} verticalSpacing={4}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t("override.parameter")}</Table.Th>
                  <Table.Th>{t("common.value")}</Table.Th>
                  <Table.Th>{t("override.commonWhere")}</Table.Th>
                  <Table.Th>{t("common.actions")}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {list.data.slice(0, most).map((one) => (
                  <Table.Tr key={`${one.object} ${one.application} ${one.parameter} ${one.environments[0]}`}>
                    <Table.Td style={{ overflowWrap: "anywhere" }}><code>{one.parameter}</code></Table.Td>
                    <Table.Td style={{ overflowWrap: "anywhere" }}><Code>{shownValue(one.parameter, one.value)}</Code></Table.Td>
                    <Table.Td>
                      {[one.object, one.application].filter(Boolean).join(" / ")}: {t("override.commonEnvironments", { n: one.environments.length })}
                      {one.others.length > 0 && <Text size="xs" c="dimmed">{t("override.commonOthers", { n: one.others.length })}</Text>}
                    </Table.Td>
                    <Table.Td><Button size="compact-xs" variant="default" aria-label={t("override.moveParameter", { name: one.parameter })} onClick={() => setChosen(one)}>{t("override.move")}</Button></Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </WideTable>
          )}
          {list.data && list.data.length > most && <Text size="sm">{t("common.andMore", { n: list.data.length - most })}</Text>}
        </Stack>
      )}
    </Dialog>
  );
}

function MoveForm({ common, onBack, onClose }: { common: Common; onBack: () => void; onClose: () => void }) {
  const t = useTexts();
  const queries = useQueryClient();
  const enter = useView();
  const past = useReadOnly();
  const [environments, setEnvironments] = useState(common.environments);
  const [to, setTo] = useState<Destination>({ name: "", location: locationsFor(common.environments)[0] ?? "", object: common.object });
  const [accept, setAccept] = useState(false);
  const place = usePlace();
  const { where } = place;
  const plan = useMutation({ mutationFn: (into: string | undefined) => moveCommon(common, environments, to, { dryRun: true, changeSet: into }) });
  const move = useMutation({
    mutationFn: (into: string | undefined) => moveCommon(common, environments, to, { accept, changeSet: into }),
    onSuccess: async (_, into) => {
      await queries.invalidateQueries();
      onClose();
      if (into !== undefined) enter(into);
    },
  });
  const change = (next: Partial<Destination>) => {
    setTo({ ...to, ...next });
    reset();
  };
  const reset = () => {
    plan.reset();
    move.reset();
    setAccept(false);
  };
  const incomplete = environments.length === 0 || to.name.trim() === "";
  const differs = (plan.data?.differences.length ?? 0) > 0;
  const ready = plan.data !== undefined && (!differs || accept);
  const error = plan.error ?? move.error;
  const goOn = { where, goTo: (into: string) => { place.goTo(into); plan.mutate(into); } };
  const { direct, stage } = useStaging(goOn, none, error, move); // of what it changes, which the server knows
  return (
    <Stack>
      <Text size="sm" style={{ overflowWrap: "anywhere" }}><code>{common.parameter}</code> = <Code>{shownValue(common.parameter, common.value)}</Code></Text>
      <Checkbox.Group label={t("override.moveOutOf")} value={environments} onChange={(next) => { setEnvironments(next); reset(); }}>
        <Stack gap={4} mt={4} mah={160} style={{ overflow: "auto" }} tabIndex={0} role="group" aria-label={t("override.moveOutOf")}>
          {common.environments.map((id) => <Checkbox key={id} size="sm" value={id} label={id} />)}
        </Stack>
      </Checkbox.Group>
      <TextInput label={t("override.paramSet")} description={t("override.moveNameHint")} value={to.name} onChange={(event) => change({ name: event.currentTarget.value })} />
      <NativeSelect label={t("override.moveLocation")} value={to.location} onChange={(event) => change({ location: event.currentTarget.value })} data={locationsFor(common.environments)} />
      {common.object !== "cloud" && common.application === undefined && (
        <NativeSelect label={t("override.moveLevel")} value={to.object} onChange={(event) => change({ object: event.currentTarget.value })}
          data={[{ value: common.object, label: `${t("override.levelNamespace")}: ${common.object}` }, { value: "cloud", label: t("override.levelEnvironment") }]} />
      )}
      {where !== undefined && <Text role="status">{t("changesets.goesOnIn", { name: where })}</Text>}
      {error && (plan.error && direct === undefined ? <Refusals error={error} /> : <WriteProblem error={error} onStage={stage} />)}
      {plan.data && <Plan plan={plan.data} name={to.name} />}
      {differs && <Checkbox size="sm" label={t("override.moveAccept")} checked={accept} onChange={(event) => setAccept(event.currentTarget.checked)} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onBack}>{t("override.moveBack")}</Button>
        <Button variant="default" disabled={incomplete} loading={plan.isPending} onClick={() => plan.mutate(where)}>{t("override.movePreview")}</Button>
        {where === undefined && <StageInstead disabled={direct === undefined && !ready} onStage={stage} />}
        <ReasonButton reason={past ?? direct} disabled={past === undefined && direct === undefined && !ready} loading={move.isPending} onClick={() => move.mutate(where)}>{changeSet() === "" ? t("override.move") : t("common.stage")}</ReasonButton>
      </Group>
    </Stack>
  );
}

/** Each reason why a parameter cannot be moved. */
function Refusals({ error }: { error: Error }) {
  const t = useTexts();
  const { errors = [] } = problemOf(error);
  if (errors.length === 0) return <ProblemAlert error={error} />;
  return <Alert color="yellow" role="alert" title={t("override.moveConflicts")}><List size="sm">{errors.map(({ message }) => <List.Item key={message} style={{ overflowWrap: "anywhere" }}>{message}</List.Item>)}</List></Alert>;
}

/** What a move would do, and every value that it would change. */
function Plan({ plan: { created, deleted, associated, differences, notices }, name }: { plan: Moved; name: string }) {
  const t = useTexts();
  return (
    <Stack gap="xs" component="section" aria-label={t("override.movePlan")}>
      <List size="sm">
        <List.Item>{created ? t("override.moveCreates", { name }) : t("override.moveSets", { name })}</List.Item>
        <List.Item>{t("override.moveAssociates", { n: associated })}</List.Item>
        <List.Item>{t("override.moveDeletes", { n: deleted })}</List.Item>
        {notices.map((notice) => <List.Item key={notice}>{notice}</List.Item>)}
      </List>
      {differences.length === 0 ? <Alert color="green" role="status">{t("override.moveSame")}</Alert> : (
        <Alert color="yellow" role="status" title={t("override.moveDiffers", { n: differences.length })}>
          <List size="sm">
            {differences.slice(0, most).map(({ environment, place, path, from, to, own }) => (
              <List.Item key={`${environment} ${place} ${path}`} style={{ overflowWrap: "anywhere" }}>
                {environment}, {place}: <code>{path}</code> <Code>{shownValue(path, from) ?? t("common.absent")}</Code> → <Code>{shownValue(path, to) ?? t("common.absent")}</Code> {own && t("override.moveOwn")}
              </List.Item>
            ))}
          </List>
          {differences.length > most && <Text size="sm">{t("common.andMore", { n: differences.length - most })}</Text>}
        </Alert>
      )}
    </Stack>
  );
}
