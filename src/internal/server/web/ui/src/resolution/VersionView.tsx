import { Alert, Code, Group, List, NativeSelect, Stack, Text, Title } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTexts } from "../i18n/texts";
import { formatId } from "../model/ids";
import { PageLink } from "../shell/links";
import { needOf, wayBetween } from "./catalog";
import type { PackageVersion, Upgrade, WholePackage } from "./catalogqueries";
import classes from "./Resolution.module.css";

const route = getRouteApi("/resolutions");

/** A version: what it upgrades, and what it becomes; what it needs, excludes and provides; and the way to it from another one. */
export function VersionView({ whole, version: of }: { whole: WholePackage; version: PackageVersion }) {
  const t = useTexts();
  const { version, image, deprecated, withdrawn, dependencies = [], conflicts = [], provides = [], error, skipRange } = of;
  const id = formatId([{ name: "source", value: whole.source }, { name: "package", value: whole.name }, { name: "packageVersion", value: version }]);
  return (
    <Stack gap="xs" component="section" aria-label={t("resolution.versionIs", { version })} className={classes.version}>
      <Group justify="space-between">
        <Title order={3} size="h4">{t("resolution.versionIs", { version })}</Title>
        <PageLink to="/explorer" search={{ id }} size="sm">{t("resolution.openDocument")}</PageLink>
      </Group>
      {error && <Alert color="red" role="alert" title={t("resolution.invalidVersion")}>{error}</Alert>}
      {(deprecated || whole.deprecated) && <Text size="sm">{t("resolution.deprecatedText")}</Text>}
      {withdrawn && <Text size="sm">{t("resolution.withdrawnText")}</Text>}
      <dl className={classes.facts}>
        <Fact title={t("resolution.upgradesFrom")}><Steps upgrades={whole.upgrades.filter(({ to }) => to === version)} end="from" />{skipRange && <Text size="sm">skipRange <Code>{skipRange}</Code></Text>}</Fact>
        <Fact title={t("resolution.upgradesTo")}><Steps upgrades={whole.upgrades.filter(({ from }) => from === version)} end="to" /></Fact>
        <Fact title={t("resolution.requires")}><Lines lines={dependencies.map(needOf)} /></Fact>
        {conflicts.length > 0 && <Fact title={t("resolution.excludes")}><Lines lines={conflicts.map(needOf)} /></Fact>}
        {provides.length > 0 && <Fact title={t("resolution.provides")}><Lines lines={provides.map((api) => ["group", "version", "kind"].map((part) => String((api as Record<string, unknown>)[part] ?? "")).join("/"))} /></Fact>}
        {image && <Fact title={t("resolution.image")}><Code style={{ overflowWrap: "anywhere" }}>{image}</Code></Fact>}
      </dl>
      <Way whole={whole} to={version} />
    </Stack>
  );
}

function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </>
  );
}

const mostSteps = 12;

function Steps({ upgrades, end }: { upgrades: Upgrade[]; end: "from" | "to" }) {
  const t = useTexts();
  if (upgrades.length === 0) return <Text span size="sm" c="dimmed">{t("common.none")}</Text>;
  return (
    <>
      {upgrades.slice(0, mostSteps).map((upgrade, i) => (
        <Text span size="sm" key={upgrade[end]}>
          {i > 0 && ", "}
          <PageLink to="/resolutions" underline="always" search={(before) => ({ ...before, version: upgrade[end], from: undefined })}>{upgrade[end]}</PageLink> ({upgrade.by})
        </Text>
      ))}
      {upgrades.length > mostSteps && <Text span size="sm"> {t("common.andMore", { n: upgrades.length - mostSteps })}</Text>}
    </>
  );
}

function Lines({ lines }: { lines: string[] }) {
  const t = useTexts();
  if (lines.length === 0) return <Text span size="sm" c="dimmed">{t("common.none")}</Text>;
  return <List size="sm" listStyleType="none">{[...new Set(lines)].map((line) => <List.Item key={line}><Code style={{ overflowWrap: "anywhere" }}>{line}</Code></List.Item>)}</List>;
}

/** The fewest upgrades from a version that is chosen. */
function Way({ whole, to }: { whole: WholePackage; to: string }) {
  const t = useTexts();
  const { from } = route.useSearch();
  const navigate = route.useNavigate();
  const known = new Set(whole.versions.map(({ version }) => version));
  const offered = [...known, ...new Set(whole.upgrades.map((upgrade) => upgrade.from).filter((version) => !known.has(version)))].filter((version) => version !== to);
  const way = from === undefined ? undefined : wayBetween(whole.upgrades, from, to);
  return (
    <Group gap="sm" align="flex-end">
      <NativeSelect size="xs" label={t("resolution.wayFrom")} value={from ?? ""} data={[{ value: "", label: t("resolution.wayChoose") }, ...offered]}
        onChange={(event) => { const { value } = event.currentTarget; void navigate({ search: (before) => ({ ...before, from: value || undefined }) }); }} />
      {from !== undefined && <Text size="sm" role="status">{way ? `${way.join(" → ")} · ${t("resolution.hopsCount", { n: way.length - 1 })}` : t("resolution.noWay", { from, to })}</Text>}
    </Group>
  );
}
