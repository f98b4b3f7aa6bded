import { Alert, Badge, Chip, Code, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense, lazy, useMemo } from "react";
import { isNotFound } from "../api/problem";
import { useTexts } from "../i18n/texts";
import { formatId } from "../model/ids";
import { ButtonLink, PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { WideTable } from "../shell/WideTable";
import { channelsOf, upgradePicture, versionsIn } from "./catalog";
import { packageQuery, type PackageVersion, type WholePackage } from "./catalogqueries";
import { VersionView } from "./VersionView";

const Picture = lazy(() => import("../graph/Picture"));
const route = getRouteApi("/resolutions");

/** How many versions a picture has; of more, the newest. */
const mostDrawn = 60;
/** How many versions the table has at first. */
const mostListed = 250;

interface Props {
  source: string;
  name: string;
}

/** A package of a catalog: its channels, the upgrades between its versions, and each version. */
export function PackageView({ source, name }: Props) {
  const t = useTexts();
  const whole = useQuery(packageQuery(source, name));
  if (whole.isError) return isNotFound(whole.error) ? <Text role="alert">{t("common.documentGone")}</Text> : <ProblemAlert error={whole.error} />;
  if (!whole.data) return <Text role="status">{t("common.loading")}</Text>;
  return <Shown whole={whole.data} />;
}

function Shown({ whole }: { whole: WholePackage }) {
  const t = useTexts();
  const { channel, version } = route.useSearch();
  const navigate = route.useNavigate();
  const channels = useMemo(() => channelsOf(whole), [whole]);
  const versions = useMemo(() => versionsIn(whole, channel), [whole, channel]);
  const chosen = whole.versions.find((one) => one.version === version);
  const choose = (next: string) => void navigate({ search: (before) => ({ ...before, version: next, from: undefined }) });
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Group gap="xs">
          <Title order={2} size="h3" style={{ overflowWrap: "anywhere" }}>{whole.name}</Title>
          {whole.deprecated && <Mark text={t("resolution.deprecated")} />}
        </Group>
        <ButtonLink to="/explorer" search={{ id: formatId([{ name: "source", value: whole.source }, { name: "package", value: whole.name }]) }} variant="default" size="xs">{t("resolution.openDocument")}</ButtonLink>
      </Group>
      <Chip.Group value={channel ?? ""} onChange={(next) => void navigate({ search: (before) => ({ ...before, channel: next || undefined }) })}>
        <Group gap={6} role="radiogroup" aria-label={t("resolution.channels")}>
          <Chip size="xs" value="">{t("resolution.allChannels", { n: whole.versions.length })}</Chip>
          {channels.map(({ name, head, count, isDefault }) => (
            <Chip key={name} size="xs" value={name} title={t("resolution.channelHead", { version: head })}>{name}{isDefault && ` (${t("resolution.defaultChannel")})`} · {count} · {head}</Chip>
          ))}
        </Group>
      </Chip.Group>
      <Upgrades whole={whole} versions={versions} chosen={version} onChoose={choose} />
      {version !== undefined && (chosen ? <VersionView whole={whole} version={chosen} /> : <Text role="alert">{t("resolution.notInCatalog", { version })}</Text>)}
      <Versions whole={whole} versions={versions} chosen={version} />
    </Stack>
  );
}

interface UpgradesProps {
  whole: WholePackage;
  versions: PackageVersion[];
  chosen?: string;
  onChoose: (version: string) => void;
}

/** The upgrades between versions as a picture: of many versions the newest, with the chosen one and what is around it. */
function Upgrades({ whole, versions, chosen, onChoose }: UpgradesProps) {
  const t = useTexts();
  const drawn = useMemo(() => {
    const at = versions.findIndex(({ version }) => version === chosen);
    const first = Math.max(0, Math.min(at - mostDrawn / 2, versions.length - mostDrawn));
    return versions.slice(first, first + mostDrawn);
  }, [chosen, versions]);
  const { nodes, edges } = useMemo(
    () => upgradePicture(whole, versions, drawn, { head: t("resolution.head"), deprecated: t("resolution.deprecated"), withdrawn: t("resolution.withdrawn"), absent: t("resolution.absentVersion") }, chosen),
    [whole, versions, drawn, chosen, t],
  );
  if (versions.length === 0) return <Text role="status">{t("common.nothingHere")}</Text>;
  return (
    <section aria-label={t("resolution.upgrades")}>
      <Title order={3} size="h4">{t("resolution.upgrades")}</Title>
      <Text size="sm" c="dimmed">{t("resolution.upgradesText")}</Text>
      {drawn.length < versions.length && <Text size="sm">{t("resolution.versionsDrawn", { drawn: drawn.length, all: versions.length })}</Text>}
      {(whole.moreUpgrades ?? 0) > 0 && <Alert color="yellow" role="alert">{t("resolution.moreUpgrades", { n: whole.moreUpgrades ?? 0 })}</Alert>}
      {edges.length === 0 ? (
        <Text size="sm" role="status">{t("resolution.noUpgrades")}</Text>
      ) : (
        <Suspense fallback={<Text role="status">{t("common.loading")}</Text>}>
          <Picture label={t("resolution.upgradePicture")} nodes={nodes} edges={edges} boxWidth={200} height="46vh" frameFrom={1000} onOpen={onChoose} />
        </Suspense>
      )}
    </section>
  );
}

function Versions({ whole, versions, chosen }: { whole: WholePackage; versions: PackageVersion[]; chosen?: string }) {
  const t = useTexts();
  return (
    <section aria-label={t("resolution.versions")}>
      <Title order={3} size="h4">{t("resolution.versions")}</Title>
      <WideTable verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr><Table.Th>{t("resolution.version")}</Table.Th><Table.Th>{t("resolution.channels")}</Table.Th><Table.Th>{t("resolution.upgradesFrom")}</Table.Th><Table.Th>{t("resolution.upgradesTo")}</Table.Th><Table.Th>{t("common.state")}</Table.Th></Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {versions.slice(0, mostListed).map(({ version, channels = [], deprecated, withdrawn, error }) => (
            <Table.Tr key={version} bg={version === chosen ? "var(--mantine-primary-color-light)" : undefined}>
              <Table.Td><PageLink data-move to="/resolutions" search={(before) => ({ ...before, version, from: undefined })} aria-current={version === chosen || undefined}><Code>{version}</Code></PageLink></Table.Td>
              <Table.Td style={{ overflowWrap: "anywhere" }}>{channels.join(", ")}</Table.Td>
              <Table.Td>{whole.upgrades.filter(({ to }) => to === version).length}</Table.Td>
              <Table.Td>{whole.upgrades.filter(({ from }) => from === version).length}</Table.Td>
              <Table.Td>
                <Group gap={4}>
                  {deprecated && <Mark text={t("resolution.deprecated")} />}
                  {withdrawn && <Mark text={t("resolution.withdrawn")} />}
                  {error && <Mark text={t("resolution.invalidVersion")} title={error} />}
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
      {versions.length > mostListed && <Text size="sm">{t("common.andMore", { n: versions.length - mostListed })}</Text>}
    </section>
  );
}

function Mark({ text, title }: { text: string; title?: string }) {
  return <Badge color="yellow" variant="outline" tt="none" c="var(--mantine-color-text)" title={title}>{text}</Badge>;
}
