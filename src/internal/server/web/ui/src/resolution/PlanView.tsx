import { Badge, Group, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTexts } from "../i18n/texts";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ReasonButton } from "../shell/ReasonButton";
import { When } from "../shell/When";
import { WideTable } from "../shell/WideTable";
import { useReadOnly } from "../view/moment";
import { hopsOf, waysOf } from "./hops";
import { approvePlan, type Spec, type Status, type Step } from "./queries";

/** The steps from what is installed to what is selected, the way back, what they wait for, and the last activation. */
export function PlanView({ name, spec, status }: { name: string; spec: Spec; status: Status }) {
  const t = useTexts();
  const { plan, planDigest, rollback, approval, activation } = status;
  if (!plan && !activation) return null;
  const waits = status.conditions?.some(({ type, reason }) => type === "Activated" && reason === "AwaitingApproval");
  return (
    <Stack gap="xs" component="section" aria-label={t("resolution.upgradePlan")}>
      <Title order={3} size="h4">{t("resolution.upgradePlan")}</Title>
      {spec.policy !== undefined && <Text size="sm">{t("resolution.planPolicy", { policy: typeof spec.policy === "string" ? spec.policy : JSON.stringify(spec.policy) })}</Text>}
      {waysOf(spec, status).length > 0 && <Ways spec={spec} status={status} />}
      {plan && (plan.length === 0 ? <Text role="status">{t("resolution.planNothing")}</Text> : <Steps label={t("resolution.planSteps")} steps={plan} />)}
      {plan && plan.length > 0 && rollback && <Rollback label={t("resolution.planBack")} {...rollback} />}
      {waits && planDigest && <Approve name={name} digest={planDigest} />}
      {approval && <Text size="sm">{t("resolution.planApproved", { by: approval.by })} <When time={approval.time} /></Text>}
      {activation && (
        <>
          <Text size="sm">{t("resolution.planActivated", { n: activation.installed.length })} <When time={activation.time} /></Text>
          {activation.rollback && <Rollback label={t("resolution.planBackFromActivation")} {...activation.rollback} />}
        </>
      )}
    </Stack>
  );
}

/** What is installed and what is selected of each package, with the versions between. */
function Ways({ spec, status }: { spec: Spec; status: Status }) {
  const t = useTexts();
  return (
    <WideTable aria-label={t("resolution.ways")} verticalSpacing={4} minWidth={420}>
      <Table.Thead>
        <Table.Tr><Table.Th>{t("resolution.planPackage")}</Table.Th><Table.Th>{t("resolution.installedNow")}</Table.Th><Table.Th>{t("resolution.selectedNow")}</Table.Th><Table.Th>{t("resolution.hops")}</Table.Th></Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {waysOf(spec, status).map(({ name, now, via, selected }) => (
          <Table.Tr key={name}>
            <Table.Td>{name}</Table.Td>
            <Table.Td>{now ?? t("common.absent")}</Table.Td>
            <Table.Td fw={now === selected ? undefined : 600}>{selected ?? t("common.absent")}</Table.Td>
            <Table.Td>{now === selected ? t("resolution.noHops") : [now, ...via, selected].map((version) => version ?? "∅").join(" → ")}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function Steps({ label, steps }: { label: string; steps: Step[] }) {
  const t = useTexts();
  const hops = hopsOf(steps);
  return (
    <Table aria-label={label} verticalSpacing={4} style={{ overflowWrap: "anywhere" }}>
      <Table.Thead>
        <Table.Tr><Table.Th w={50}>#</Table.Th><Table.Th>{t("resolution.planPackage")}</Table.Th><Table.Th>{t("resolution.planStep")}</Table.Th></Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {steps.map(({ package: name, from, to, source }, i) => (
          // oxlint-disable-next-line react/no-array-index-key -- a package may have several steps, each known by its place
          <Table.Tr key={i}>
            <Table.Td>{i + 1}</Table.Td>
            <Table.Td>{name}</Table.Td>
            <Table.Td>{from === null ? `+ ${t("resolution.planAdd", { version: to ?? "" })}` : to === null ? `− ${t("resolution.planRemove", { version: from })}` : `${from} → ${to}`}{source !== undefined && ` (${source})`}{(hops[i]?.of ?? 1) > 1 && <> <Badge variant="default" tt="none">{t("resolution.hopOf", { hop: hops[i]?.hop ?? 1, of: hops[i]?.of ?? 1 })}</Badge></>}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const none: Step[] = [];

function Rollback({ label, steps, impossible }: { label: string; steps?: Step[]; impossible?: string }) {
  const t = useTexts();
  return (
    <details>
      <summary>{label}</summary>
      {impossible ? <Text size="sm">{t("resolution.planNoBack", { why: impossible })}</Text> : <Steps label={label} steps={steps ?? none} />}
    </details>
  );
}

/** The plan that is shown is the one that is approved: one that has changed meanwhile is refused. */
function Approve({ name, digest }: { name: string; digest: string }) {
  const t = useTexts();
  const client = useQueryClient();
  const past = useReadOnly();
  const [message, setMessage] = useState("");
  const approve = useMutation({
    mutationFn: () => approvePlan(name, digest, message),
    onSettled: () => client.invalidateQueries({ queryKey: ["resolution", name] }),
  });
  return (
    <Stack gap="xs">
      <Text size="sm">{t("resolution.planWaits")}</Text>
      <Group align="flex-end">
        <TextInput label={t("common.message")} value={message} onChange={(event) => setMessage(event.currentTarget.value)} />
        <ReasonButton reason={past} loading={approve.isPending} onClick={() => approve.mutate()}>{t("resolution.planApprove")}</ReasonButton>
      </Group>
      {approve.isError && <ProblemAlert error={approve.error} />}
    </Stack>
  );
}
