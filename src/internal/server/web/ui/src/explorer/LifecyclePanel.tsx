import { Group, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, lazy, useState } from "react";
import { standingQuery, type Standing } from "../api/lifecycle";
import { changeSet } from "../api/view";
import { useProtection } from "../changesets/protection";
import { useTexts } from "../i18n/texts";
import type { Model } from "../model/kinds";
import { statesOf, type Lifecycle, type LifecycleAction } from "../model/lifecycle";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ReasonButton } from "../shell/ReasonButton";
import { When } from "../shell/When";
import { useReadOnly } from "../view/moment";
import { WideTable } from "../shell/WideTable";
import { LifecycleBadge } from "./LifecycleBadge";

const ActionDialog = lazy(async () => ({ default: (await import("./ActionDialog")).ActionDialog }));

interface Props {
  model: Model;
  id: string;
  path: string;
  lifecycle: Lifecycle;
}

/** The state of a document and its actions: those that are possible now, and the others with the states that they need. */
export function LifecyclePanel({ model, id, path, lifecycle }: Props) {
  const t = useTexts();
  const past = useReadOnly();
  const standing = useQuery(standingQuery(path));
  const direct = useProtection([id]); // which no change set helps against, as actions are not staged
  const [asked, setAsked] = useState<LifecycleAction>();
  if (standing.isError) return <ProblemAlert error={standing.error} />;
  if (!standing.data) return null;
  const { state, since, allowed } = standing.data.lifecycle;
  const reasonOf = (action: LifecycleAction) => {
    if (past !== undefined) return past;
    if (changeSet() !== "") return t("explorer.actionNotStaged");
    return allowed.includes(action.action) ? direct : t("explorer.possibleIn", { states: statesOf(lifecycle, action).join(", ") });
  };
  const frozen = [lifecycle.freeze?.put?.includes(state) && t("explorer.frozenPut"), lifecycle.freeze?.delete?.includes(state) && t("explorer.frozenDelete")].filter(Boolean);
  return (
    <Group gap="xs" component="section" aria-label={t("explorer.lifecycle")}>
      <Text size="sm">{t("common.state")}</Text>
      <LifecycleBadge state={state} />
      {since && (
        <Text size="sm" c="dimmed">
          {t("explorer.stateSince")} <When time={since} />
        </Text>
      )}
      {lifecycle.actions.map((action) => (
        <ReasonButton key={action.action} size="compact-sm" variant="default" reason={reasonOf(action)} onClick={() => setAsked(action)}>
          {action.action}
        </ReasonButton>
      ))}
      {frozen.length > 0 && (
        <Text size="sm" c="dimmed">
          {frozen.join(" ")}
        </Text>
      )}
      <Suspense>{asked && <ActionDialog model={model} id={id} path={path} action={asked} state={state} onClose={() => setAsked(undefined)} />}</Suspense>
    </Group>
  );
}

/** The actions that were done, newest first. */
export function ActionHistory({ path }: { path: string }) {
  const t = useTexts();
  const standing = useQuery(standingQuery(path));
  const { actions = [], actionsTotal = 0 }: Partial<Standing> = standing.data ?? {};
  if (actions.length === 0) return null;
  return (
    <WideTable captionSide="top" w="auto" mb="sm">
      <Table.Caption>{actionsTotal > actions.length ? t("explorer.lastActions", { n: actions.length, total: actionsTotal }) : t("common.actions")}</Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("explorer.time")}</Table.Th>
          <Table.Th>{t("explorer.action")}</Table.Th>
          <Table.Th>{t("common.state")}</Table.Th>
          <Table.Th>{t("explorer.actionBody")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {actions.toReversed().map(({ action, at, state, body }) => (
          <Table.Tr key={`${at} ${action}`}>
            <Table.Td>
              <When time={at} />
            </Table.Td>
            <Table.Td>{action}</Table.Td>
            <Table.Td>{state && <LifecycleBadge state={state} />}</Table.Td>
            <Table.Td style={{ overflowWrap: "anywhere" }}>{body === undefined ? "" : JSON.stringify(body)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
