import { Alert, Button, Group, Loader, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTexts } from "../i18n/texts";
import { dots } from "../model/secrets";
import { DocumentLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { Values } from "./Changes";
import { impactQuery, type ChangeSet, type Impact, type ImpactChange, type ImpactItem } from "./queries";
import classes from "./ChangeSets.module.css";

/** What a merge would change of what the services make of the documents. It is calculated when it is asked for. */
export function ImpactPanel({ changeSet }: { changeSet: ChangeSet }) {
  const t = useTexts();
  const [asked, setAsked] = useState(false);
  const impact = useQuery({ ...impactQuery(changeSet.name), enabled: asked });
  return (
    <Stack gap="sm">
      <Text>{t("changesets.mergeImpactText")}</Text>
      <Group>
        <Button size="xs" variant={impact.data ? "default" : "filled"} loading={impact.isFetching} onClick={() => (asked ? void impact.refetch() : setAsked(true))}>
          {impact.data || impact.isError ? t("changesets.recalculate") : t("changesets.calculateImpact")}
        </Button>
      </Group>
      {impact.isFetching && (
        <Group gap="xs" role="status">
          <Loader size="xs" aria-hidden />
          <Text size="sm">{t("changesets.calculating")}</Text>
        </Group>
      )}
      {impact.isError && !impact.isFetching && <ProblemAlert error={impact.error} />}
      {impact.data && !impact.isFetching && <Shown impact={impact.data} />}
    </Stack>
  );
}

function Shown({ impact }: { impact: Impact }) {
  const t = useTexts();
  const { items = [], total = items.length, unchanged = [], unchangedTotal = 0, unreadable = 0, incomplete = false } = impact;
  const services = [...new Set(items.map(({ service }) => service))];
  const titles: Record<string, string> = { override: t("changesets.impactOverride"), layering: t("changesets.impactLayering"), resolution: t("changesets.impactResolution"), descriptor: t("changesets.impactDescriptor") };
  return (
    <>
      {incomplete && <Alert color="yellow">{t("changesets.impactIncomplete")}</Alert>}
      {items.length === 0 && !incomplete && <Text role="status">{t("changesets.noImpact")}</Text>}
      {services.map((service) => (
        <Stack key={service} gap="xs" component="section" aria-label={titles[service] ?? service}>
          <Title order={2} size="h4">
            {titles[service] ?? service}
          </Title>
          {items.filter((item) => item.service === service).map((item) => (
            <Item key={`${item.id} ${item.title}`} item={item} />
          ))}
        </Stack>
      ))}
      {items.length < total && <Text size="sm">{t("common.deleteShown", { shown: items.length, total })}</Text>}
      {unchangedTotal > 0 && (
        <Text size="sm" role="note">
          {t("changesets.unchangedImpact", { titles: unchanged.slice(0, 3).map(({ title, id }) => title ?? id).join(", "), n: unchangedTotal - Math.min(3, unchanged.length) })}
        </Text>
      )}
      {unchanged.map((item) => (
        <Findings key={item.id} item={item} />
      ))}
      {unreadable > 0 && <Alert color="yellow">{t("changesets.unreadableImpact", { n: unreadable })}</Alert>}
    </>
  );
}

function Item({ item }: { item: ImpactItem }) {
  const t = useTexts();
  const { id, title = id, service, changes = [], more = 0, error } = item;
  return (
    <section className={classes.document} aria-label={title}>
      <div className={classes.documentHead}>
        <Text span size="sm" fw={600}>
          {title}
        </Text>
        {title !== id && service !== "override" && <DocumentLink id={id} />}
      </div>
      <div className={classes.documentBody}>
        <Findings item={item} />
        {error && <Alert color="red" title={t("changesets.impactFailed")}>{error}</Alert>}
        {[...new Set(changes.map(({ file }) => file))].map((file) => (
          <div key={file}>
            {file && (
              <Text size="xs" c="dimmed" component="h3" m={0}>
                {file}
              </Text>
            )}
            <Values changes={changes.filter((change) => change.file === file).map(shownChange)} />
          </div>
        ))}
        {more > 0 && <Text size="sm">{t("common.andMore", { n: more })}</Text>}
      </div>
    </section>
  );
}

/** A change with dots for secrets. */
function shownChange(change: ImpactChange): ImpactChange {
  if (!change.secret) return change;
  return { ...change, from: change.op === "add" ? undefined : dots, to: change.op === "remove" ? undefined : dots };
}

/** What else there is to know of something that was looked at. */
function Findings({ item }: { item: ImpactItem }) {
  const t = useTexts();
  const { id, title = id, findings = [], moreFindings = 0 } = item;
  if (findings.length === 0) return null;
  return (
    <Alert color="yellow" title={title}>
      <ul>
        {findings.map(({ message, location }) => (
          <li key={`${location} ${message}`}>{location ? `${location}: ${message}` : message}</li>
        ))}
      </ul>
      {moreFindings > 0 && t("common.andMore", { n: moreFindings })}
    </Alert>
  );
}
