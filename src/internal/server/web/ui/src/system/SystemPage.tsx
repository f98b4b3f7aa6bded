import { Badge, Code, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { Database, FolderGit2, Gauge, HeartPulse, LayoutGrid, ScrollText, Server, UserRound, Webhook } from "lucide-react";
import type { ReactNode } from "react";
import { modelQuery } from "../api/queries";
import { rightsQuery } from "../api/access";
import { DefectsPanel } from "../home/Defects";
import { GitPanel } from "../home/GitPanel";
import classes from "../home/Home.module.css";
import { Nothing, Panel } from "../home/Panel";
import { Waiting } from "../shell/Waiting";
import { gitQuery, healthQuery } from "../home/queries";
import { defectsQuery } from "../home/scrub";
import { useTexts } from "../i18n/texts";
import { serviceTitle } from "../shell/kindgroups";
import { PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { usePageTitle } from "../shell/title";
import { WideTable } from "../shell/WideTable";
import { When } from "../shell/When";
import { Limits, Processes } from "./Processes";
import { auditQuery, indexQuery, kindRightsQuery, maxBehind, schemaVersionQuery, systemQuery, webhooksQuery, type System } from "./queries";
import { You } from "./You";

/** How the server runs: what serves, what it does, how it is protected; and who one is. */
export function SystemPage() {
  const t = useTexts();
  usePageTitle(t("common.system"));
  const model = useQuery(modelQuery);
  const git = useQuery({ ...gitQuery, enabled: model.data?.kind("instanceRepository") !== undefined });
  const system = useQuery(systemQuery);
  // All of it comes at once, as panels that grow one after the other would push each other about. The audit, which is verified as a whole, is last.
  // Once they were answered they stay: a panel asks again for what failed as it appears, and would go for as long as that takes, and so on.
  const all = [model, git, system, useQuery(rightsQuery), useQuery(kindRightsQuery), useQuery(healthQuery), useQuery(indexQuery), useQuery(schemaVersionQuery), useQuery(webhooksQuery), useQuery(defectsQuery)];
  const waits = all.some(({ isLoading, isFetched }) => isLoading && !isFetched);
  return (
    <Stack gap="md" className={classes.page}>
      <Title order={1} size="h2">
        {t("common.system")}
      </Title>
      {waits ? (
        <Waiting rows={16} />
      ) : (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md" style={{ alignItems: "start" }}>
          <Stack gap="md">
            <Panel title={t("system.systemYou")} icon={<UserRound size={16} aria-hidden />}>
              <You />
            </Panel>
            <Panel title={t("system.systemChecks")} icon={<HeartPulse size={16} aria-hidden />}>
              <Checks />
            </Panel>
            <DefectsPanel />
            <Panel title={t("system.systemServices")} icon={<LayoutGrid size={16} aria-hidden />}>
              <Services />
            </Panel>
          </Stack>
          <Stack gap="md">
            <Panel title={t("system.systemProcesses")} icon={<Server size={16} aria-hidden />}>
              <Answer query={system}>{(data) => <Processes system={data} />}</Answer>
            </Panel>
            <Panel title={t("system.systemLimits")} icon={<Gauge size={16} aria-hidden />}>
              <Answer query={system}>{(data) => <Limits system={data} />}</Answer>
            </Panel>
            <Panel title={t("system.systemStore")} icon={<Database size={16} aria-hidden />}>
              <StoreFacts technology={system.data?.store} protocol={system.data?.protocol} />
            </Panel>
            <Panel title={t("system.systemWebhooks")} icon={<Webhook size={16} aria-hidden />}>
              <Webhooks />
            </Panel>
            {git.data?.length ? (
              git.data.map((one) => <GitPanel key={one.name} git={one} />)
            ) : (
              <Panel title={t("home.instanceRepository")} icon={<FolderGit2 size={16} aria-hidden />}>
                <Nothing>{t("system.systemNoGit")}</Nothing>
              </Panel>
            )}
            <Panel title={t("system.systemAudit")} icon={<ScrollText size={16} aria-hidden />}>
              <Audit />
            </Panel>
          </Stack>
        </SimpleGrid>
      )}
    </Stack>
  );
}

/** What a query answers, or why it does not: yet, at all, or not to everybody. */
function Answer<T>({ query, children }: { query: UseQueryResult<T | null>; children: (data: T) => ReactNode }) {
  const t = useTexts();
  if (query.isPending) return <Waiting rows={3} />;
  if (query.isError) return <ProblemAlert error={query.error} />;
  return query.data === null ? <Nothing>{t("system.systemForbidden")}</Nothing> : children(query.data);
}

function Checks() {
  const t = useTexts();
  const health = useQuery(healthQuery);
  const words = { ok: t("system.stateOk"), degraded: t("system.stateDegraded"), failed: t("system.stateFailed") };
  return (
    <Answer query={health}>
      {({ checks }) => (
        <ul className={classes.rows}>
          {checks.map(({ name, status, detail }) => (
            <li key={name}>
              <span className={classes.dot} data-status={status} />
              <span className={classes.rowText}>
                {name}
                {detail && <Text size="xs" c="dimmed">{detail}</Text>}
              </span>
              <Text size="xs">{words[status]}</Text>
            </li>
          ))}
        </ul>
      )}
    </Answer>
  );
}

function Services() {
  const t = useTexts();
  const index = useQuery(indexQuery);
  return (
    <Answer query={index}>
      {({ services, version }) => (
        <>
          <ul className={classes.rows}>
            {services.map(({ name, kinds, off }) => (
              <li key={name}>
                <span className={classes.dot} data-status={off ? "degraded" : "ok"} />
                <span className={classes.rowText}>
                  {name} {serviceTitle(t, name) !== name && <Text span size="xs" c="dimmed">{serviceTitle(t, name)}</Text>}
                  {off && <Text size="xs" c="dimmed">{off}</Text>}
                </span>
                <Text size="xs" c="dimmed">{off ? t("system.serviceOff") : t("system.kindsOf", { n: kinds.length })}</Text>
              </li>
            ))}
          </ul>
          {version && <Text size="xs" c="dimmed" className={classes.panelBody}>{t("system.serverVersion")} <Code>{version}</Code></Text>}
        </>
      )}
    </Answer>
  );
}

function StoreFacts({ technology, protocol }: { technology?: string; protocol?: System["protocol"] }) {
  const t = useTexts();
  const schema = useQuery(schemaVersionQuery);
  const index = useQuery(indexQuery);
  const encryption = index.data?.encryption;
  return (
    <Answer query={schema}>
      {({ version, hash, since, principal }) => (
        <Table withRowBorders={false} verticalSpacing={4} horizontalSpacing="md">
          <Table.Tbody>
            {technology && <Fact name={t("system.storeTechnology")}>{technology}</Fact>}
            {protocol && (
              <Fact name={t("system.protocolLevel")}>
                {protocol.level}
                {protocol.level < protocol.newest && (
                  <Text size="xs" c="dimmed">
                    {t("system.protocolBehind", { newest: protocol.newest })} <Code>dovetail doctor --raise-protocol</Code>
                  </Text>
                )}
              </Fact>
            )}
            <Fact name={t("common.schema")}>
              <PageLink to="/schema" size="sm" underline="always">{t("system.schemaVersion", { n: version })}</PageLink> <Code title={hash}>{hash.slice(0, 10)}</Code> · <When time={since} /> · {principal || t("common.unknownUser")}
            </Fact>
            {encryption && (
              <Fact name={t("system.encryption")}>
                <Badge color={encryption.encrypted ? "green" : "yellow"} variant="light" c="var(--mantine-color-text)" tt="none">{encryption.encrypted ? t("system.encrypted") : t("system.inClear")}</Badge>{" "}
                <Text span size="xs" c="dimmed" title={encryption.sensitive.join(", ")}>{t("system.sensitiveKinds", { n: encryption.sensitive.length })}</Text>
              </Fact>
            )}
          </Table.Tbody>
        </Table>
      )}
    </Answer>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500} style={{ verticalAlign: "top", whiteSpace: "nowrap" }}>{name}</Table.Th>
      <Table.Td>{children}</Table.Td>
    </Table.Tr>
  );
}

function Audit() {
  const t = useTexts();
  const audit = useQuery(auditQuery);
  return (
    <Answer query={audit}>
      {({ records, blocks, unsealed, total }) =>
        records === 0 && total === 0 ? (
          <Nothing>{t("system.auditNone")}</Nothing>
        ) : (
          <ul className={classes.rows}>
            <li>
              <span className={classes.dot} data-status={total > 0 ? "failed" : "ok"} />
              <span className={classes.rowText}>
                {total > 0 ? t("system.auditBroken", { n: total }) : t("system.auditWhole")}
                <Text size="xs" c="dimmed">{t("system.auditRecords", { records, blocks, unsealed })}</Text>
              </span>
            </li>
          </ul>
        )
      }
    </Answer>
  );
}

function Webhooks() {
  const t = useTexts();
  const hooks = useQuery(webhooksQuery);
  return (
    <Answer query={hooks}>
      {(items) =>
        items.length === 0 ? (
          <Nothing>{t("system.webhooksNone")}</Nothing>
        ) : (
          <WideTable minWidth={360} verticalSpacing={6} horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t("common.byName")}</Table.Th>
                <Table.Th>{t("system.webhookDelivered")}</Table.Th>
                <Table.Th>{t("system.webhookBehind")}</Table.Th>
                <Table.Th>{t("system.webhookDead")}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map(({ name, url, delivered, behind, deadLetters, failure }) => (
                <Table.Tr key={name}>
                  <Table.Td>
                    {name} <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>{url}</Text>
                    {failure && <Text size="xs" c="red.9">{failure.error} · <When time={failure.since} /></Text>}
                  </Table.Td>
                  <Table.Td>{delivered}</Table.Td>
                  <Table.Td>{behind < maxBehind ? behind : `${maxBehind}+`}</Table.Td>
                  <Table.Td>{deadLetters}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </WideTable>
        )
      }
    </Answer>
  );
}
