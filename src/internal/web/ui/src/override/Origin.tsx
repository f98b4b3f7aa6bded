import { Badge, Button, Code, Group, Stack, Text, Timeline } from "@mantine/core";
import { parseDocument } from "yaml";
import { useTexts, type Texts } from "../i18n/texts";
import { formatId, type Element } from "../model/ids";
import { dots } from "../model/secrets";
import { Dialog } from "../shell/Dialog";
import { PageLink } from "../shell/links";
import { PathName } from "./PathName";
import type { Choice } from "./place";
import type { Source } from "./queries";
import { lineOf, type Compared } from "./rows";

interface Props {
  choice: Choice;
  row: Compared;
  hidden: boolean; // its values are secret
  chain: Source[]; // the first before those that came after it
  onChange: (value: unknown) => void;
  onClose: () => void;
}

/** Where a value of an effective set comes from: all that set it, and what won. */
export function Origin({ choice, row, hidden, chain, onChange, onClose }: Props) {
  const t = useTexts();
  return (
    <Dialog title={t("common.originTitle")} onClose={onClose}>
      <Stack>
        <Text style={{ overflowWrap: "anywhere" }}><PathName path={row.path} /> = <Code>{hidden ? dots : row.after}</Code></Text>
        <Timeline active={chain.findIndex((source) => source.won)} bulletSize={16} aria-label={t("common.originTitle")}>
          {chain.map((source, i) => (
            <Timeline.Item key={`${source.location} ${source.name}`} data-won={source.won || undefined}
              title={<Group gap="xs"><SourceName choice={choice} source={source} />{source.won && <Badge tt="none">{t("common.wins")}</Badge>}</Group>}>
              <Text size="sm" c="dimmed">{i + 1}. {kindOf(t, source)}</Text>
              <Code block>{hidden ? dots : lineOf(source.value)}</Code>
            </Timeline.Item>
          ))}
        </Timeline>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>{t("common.close")}</Button>
          <Button disabled={hidden} title={hidden ? t("override.revealFirst") : undefined} onClick={() => onChange(parseDocument(row.after ?? "null", { intAsBigInt: true }).contents)}>{t("override.overrideThis")}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function kindOf(t: Texts, source: Source): string {
  if (source.file) return t("override.generatedFile");
  const level = { environment: t("override.levelEnvironment"), namespace: t("override.levelNamespace"), application: t("override.levelApplication") }[source.level ?? ""];
  const kind = source.override ? t("override.override") : source.input ? t("override.paramSetInput") : t("override.paramSet");
  return level ? `${kind}, ${t("override.level").toLowerCase()}: ${level.toLowerCase()}` : kind;
}

function SourceName({ choice, source }: { choice: Choice; source: Source }) {
  const id = documentOf(choice, source);
  return <PageLink to="/explorer" search={{ id }} style={{ overflowWrap: "anywhere" }}>{source.name}</PageLink>;
}

/** The id of the document that a source is. */
function documentOf({ cluster, environment }: Choice, { name, location = "", file }: Source): string {
  const inEnvironment: Element[] = [{ name: "cluster", value: cluster }, { name: "environment", value: environment }];
  if (file) return formatId([...inEnvironment, { name: "effectiveSetPart", value: name }]);
  if (location.endsWith("/Inventory/parameters")) return formatId([...inEnvironment, { name: "environmentParamSet", value: name }]);
  if (location === "environments/parameters") return formatId([{ name: "siteParamSet", value: name }]);
  return formatId([{ name: "cluster", value: cluster }, { name: "clusterParamSet", value: name }]);
}
