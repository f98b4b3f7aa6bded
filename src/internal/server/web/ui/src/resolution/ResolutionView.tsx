import { Badge, Button, Checkbox, Code, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { isNotFound } from "../api/problem";
import { useTexts } from "../i18n/texts";
import { ButtonLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { When } from "../shell/When";
import { WideTable } from "../shell/WideTable";
import { OutcomeView } from "./OutcomeView";
import { PlanView } from "./PlanView";
import { indexesOf, lineOf } from "./clash";
import { resolutionQuery, trialQuery, type Resolution, type Spec, type Status } from "./queries";

const route = getRouteApi("/resolutions");

/** One ActiveResolution: what it asks for, what came of it, and what would come of fewer constraints. */
export function ResolutionView({ name }: { name: string }) {
  const t = useTexts();
  const resolution = useQuery(resolutionQuery(name));
  if (resolution.isError) return isNotFound(resolution.error) ? <Text role="alert">{t("common.documentGone")}</Text> : <ProblemAlert error={resolution.error} />;
  if (!resolution.data) return <Text role="status">{t("common.loading")}</Text>;
  return <Shown name={name} resolution={resolution.data} />;
}

function Shown({ name, resolution }: { name: string; resolution: Resolution }) {
  const t = useTexts();
  const { without } = route.useSearch();
  const navigate = route.useNavigate();
  const spec = (resolution.data.spec ?? {}) as Spec;
  const status = resolution.status ?? {};
  const constraints = spec.constraints ?? [];
  const left = without === undefined ? undefined : indexesOf(without, constraints.length);
  const attempt = (next: number[] | undefined) => void navigate({ search: (before) => ({ ...before, without: next && (next.length === 0 ? nothing : next.join(",")) }) });
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h3" style={{ overflowWrap: "anywhere" }}>{name}</Title>
        <ButtonLink to="/explorer" search={{ id: resolution.id }} variant="default" size="xs">{t("resolution.openDocument")}</ButtonLink>
      </Group>
      <Conditions status={status} />
      <Constraints constraints={constraints} status={status} left={left ?? []} onChange={attempt} />
      <Text size="sm">{t("resolution.sourcesOf", { names: spec.sources?.join(", ") ?? t("resolution.allSources") })}</Text>
      {left === undefined ? (
        <section aria-label={t("resolution.outcome")}>
          <OutcomeView outcome={{ message: "", ...status }} constraints={constraints} onTry={attempt} onDerive={() => attempt([])} />
          <Button mt="sm" variant="default" size="xs" onClick={() => attempt([])}>{t("resolution.explainChoices")}</Button>
          <PlanView name={name} spec={spec} status={status} />
        </section>
      ) : (
        <Trial spec={spec} without={left} onTry={attempt} />
      )}
    </Stack>
  );
}

/** What the address says when all constraints are tried. */
const nothing = "none";

function Conditions({ status }: { status: Status }) {
  const t = useTexts();
  if (!status.conditions?.length) return <Text role="status">{t("resolution.pending")}</Text>;
  return (
    <Table aria-label={t("resolution.conditions")} verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr><Table.Th>{t("resolution.condition")}</Table.Th><Table.Th>{t("common.findingMessage")}</Table.Th></Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {status.conditions.map(({ type, status: is, reason, message, lastTransitionTime }) => (
          <Table.Tr key={type}>
            <Table.Td style={{ verticalAlign: "top", whiteSpace: "nowrap" }}><div>{type} = {is}</div> <code>{reason}</code></Table.Td>
            <Table.Td style={{ overflowWrap: "anywhere" }}><div>{message}</div> <Text span size="sm" c="dimmed"><When time={lastTransitionTime} /></Text></Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface ConstraintsProps {
  constraints: NonNullable<Spec["constraints"]>;
  status: Status;
  left: number[]; // those that are left out in a trial
  onChange: (left: number[]) => void;
}

function Constraints({ constraints, status, left, onChange }: ConstraintsProps) {
  const t = useTexts();
  const wrong = status.error && status.error.reason === "InvalidConstraint" ? status.error.index : -1;
  return (
    <WideTable aria-label={t("resolution.constraints")} verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr><Table.Th w={50}>#</Table.Th><Table.Th>{t("resolution.constraint")}</Table.Th><Table.Th w={170}>{t("common.findingProblem")}</Table.Th><Table.Th w={170}>{t("resolution.trial")}</Table.Th></Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {constraints.map((constraint, i) => (
          // oxlint-disable-next-line react/no-array-index-key -- a constraint is known by its place
          <Table.Tr key={i}>
            <Table.Td>[{i}]</Table.Td>
            <Table.Td style={{ overflowWrap: "anywhere" }}><Code>{lineOf(constraint)}</Code></Table.Td>
            <Table.Td>
              {status.unsat?.core.includes(i) && <Badge color="red" variant="outline" tt="none" c="var(--mantine-color-text)">✕ {t("resolution.clashes")}</Badge>}
              {wrong === i && <Badge color="red" variant="outline" tt="none" c="var(--mantine-color-text)">✕ {t("resolution.invalidConstraint")}</Badge>}
            </Table.Td>
            <Table.Td>
              <Checkbox size="xs" label={t("resolution.leaveOut")} aria-label={`${t("resolution.leaveOut")} [${i}]`} checked={left.includes(i)}
                onChange={(event) => onChange((event.currentTarget.checked ? [...left, i] : left.filter((other) => other !== i)).sort((a, b) => a - b))} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

interface TrialProps {
  spec: Spec;
  without: number[];
  onTry: (without: number[] | undefined) => void;
}

/** What would come of the constraints without some of them. Nothing is stored. */
function Trial({ spec, without, onTry }: TrialProps) {
  const t = useTexts();
  const trial = useQuery(trialQuery(spec, without));
  const constraints = spec.constraints ?? [];
  return (
    <Stack gap="sm" component="section" aria-label={t("resolution.trial")}>
      <Group justify="space-between">
        <Title order={3} size="h4">{without.length === 0 ? t("resolution.trialOfAll") : t("resolution.trialWithout", { indexes: without.map((i) => `[${i}]`).join(", ") })}</Title>
        <Button variant="default" size="xs" onClick={() => onTry(undefined)}>{t("resolution.backToStored")}</Button>
      </Group>
      <Text size="sm" c="dimmed">{t("resolution.trialText")}</Text>
      {trial.isPending && <Text role="status">{t("common.loading")}</Text>}
      {trial.isError && <ProblemAlert error={trial.error} />}
      {trial.data && <OutcomeView outcome={trial.data} constraints={constraints} onTry={(more) => onTry([...new Set([...without, ...more])].sort((a, b) => a - b))} />}
    </Stack>
  );
}
