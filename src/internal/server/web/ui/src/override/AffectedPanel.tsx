import { Alert, Anchor, Badge, Code, Group, List, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTexts } from "../i18n/texts";
import { dots } from "../model/secrets";
import { ProblemAlert } from "../shell/ProblemAlert";
import { impactQuery, type ImpactGroup } from "./impact";
import { outlineQuery } from "./outline";
import { levelsOf, type Choice, type Level, type Target } from "./place";
import { reachOf } from "./side";

interface Props {
  choice: Choice;
  target: Target;
  text: string; // the parameters as they are typed
  changed: boolean;
}

/** Whom an override reaches at each level, and what the one that is typed would change, value by value. */
export function AffectedPanel({ choice, target, text, changed }: Props) {
  const t = useTexts();
  return (
    <Stack gap="sm" component="section" aria-label={t("override.affected")}>
      {choice.context !== "pipeline" && <Reach choice={choice} />}
      {changed ? <Impact target={target} text={text} /> : <Text size="sm" role="status">{t("override.impactOfNothing")}</Text>}
    </Stack>
  );
}

/** How many applications each level has. */
function Reach({ choice }: { choice: Choice }) {
  const t = useTexts();
  const outline = useQuery(outlineQuery(choice.cluster, choice.environment)).data;
  if (!outline) return null;
  const { namespace, application } = choice;
  const names: Record<Level, string> = { environment: choice.environment, namespace, application };
  const labels: Record<Level, string> = { environment: t("override.levelEnvironment"), namespace: t("override.levelNamespace"), application: t("override.levelApplication") };
  return (
    <List size="sm" listStyleType="none" aria-label={t("override.reach")}>
      {levelsOf(choice.context).filter((level) => names[level] !== "").map((level) => {
        const reach = reachOf({ ...choice, level }, outline);
        const chosen = level === choice.level;
        return (
          <List.Item key={level} aria-current={chosen || undefined} fw={chosen ? 700 : undefined}>
            {labels[level]} {names[level]}: {t("override.reaches", { n: reach.length })}
            {chosen && level !== "application" && reach.length > 0 && <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>{reach.map((place) => `${place.namespace} / ${place.application}`).join(", ")}</Text>}
          </List.Item>
        );
      })}
    </List>
  );
}

function Impact({ target, text }: { target: Target; text: string }) {
  const t = useTexts();
  const impact = useQuery(impactQuery(target, text));
  if (impact.isError) return <ProblemAlert error={impact.error} />;
  if (!impact.data) return <Text role="status">{t("common.loading")}</Text>;
  const { groups, differences, omitted, problems, findings } = impact.data;
  return (
    <>
      <Text role="status" fw={600}>{t("override.impactSum", { n: differences, of: groups.length })}</Text>
      {problems.length > 0 && <Notes color="yellow" title={t("override.impactProblems")} lines={problems} />}
      {findings.length > 0 && <Notes color="blue" title={t("override.notices")} lines={findings} />}
      {groups.map((group) => <ChangedValues key={group.name} group={group} />)}
      {omitted > 0 && <Text size="sm">{t("common.andMore", { n: omitted })}</Text>}
    </>
  );
}

function Notes({ color, title, lines }: { color: string; title: string; lines: string[] }) {
  return <Alert color={color} title={title}><List size="sm">{lines.map((line) => <List.Item key={line} style={{ overflowWrap: "anywhere" }}>{line}</List.Item>)}</List></Alert>;
}

function ChangedValues({ group: { name, count, files } }: { group: ImpactGroup }) {
  const t = useTexts();
  return (
    <details>
      <summary><strong>{name}</strong> <Badge variant="default" tt="none">{t("override.valuesChange", { n: count })}</Badge></summary>
      {files.map(({ file, differences }) => (
        <Stack key={file} gap={2} pl="sm" py={4}>
          <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>{file}</Text>
          {differences.map(({ path, from, to, secret, level }) => (
            <Text key={path} size="sm" style={{ overflowWrap: "anywhere" }}>
              <code>{path}</code>: <Code>{secret ? dots : (from ?? t("common.absent"))}</Code> → <Code>{secret ? dots : (to ?? t("common.absent"))}</Code> <Text span size="xs" c="dimmed">{level}</Text>
            </Text>
          ))}
        </Stack>
      ))}
    </details>
  );
}

/** In a line, before it is saved, what would change for how many, with the way to the details. */
export function ImpactNote({ target, text, onOpen }: { target: Target; text: string; onOpen: () => void }) {
  const t = useTexts();
  const impact = useQuery(impactQuery(target, text));
  if (!impact.data) return null;
  const { differences, groups, problems } = impact.data;
  return (
    <Group gap="xs">
      <Text size="sm" role="status">{problems.length > 0 ? t("override.impactUnknown") : t("override.impactSum", { n: differences, of: groups.length })}</Text>
      <Anchor component="button" type="button" size="sm" onClick={onOpen}>{t("override.impactDetails")}</Anchor>
    </Group>
  );
}
