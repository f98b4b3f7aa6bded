import { Progress, Table, Text } from "@mantine/core";
import classes from "../home/Home.module.css";
import { Nothing } from "../home/Panel";
import { useLanguage, useTexts } from "../i18n/texts";
import { When } from "../shell/When";
import { WideTable } from "../shell/WideTable";
import type { System } from "./queries";

/** Who does what only one of all processes does. */
export function Processes({ system }: { system: System }) {
  const t = useTexts();
  return (
    <>
      <Text size="sm" className={classes.panelBody}>
        {t("system.processAnswers")} <b>{system.process}</b>
      </Text>
      {system.leases.length === 0 ? (
        <Nothing>{t("common.none")}</Nothing>
      ) : (
        <WideTable minWidth={380} verticalSpacing={6} horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("system.lease")}</Table.Th>
              <Table.Th>{t("system.leaseHolder")}</Table.Th>
              <Table.Th>{t("system.leaseSince")}</Table.Th>
              <Table.Th>{t("system.leaseHeartbeat")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {system.leases.map(({ work, holder, since, heartbeat }) => (
              <Table.Tr key={work}>
                <Table.Td>{work}</Table.Td>
                <Table.Td style={{ overflowWrap: "anywhere" }}>{holder ?? t("system.leaseFree")}</Table.Td>
                <Table.Td>{since && <When time={since} />}</Table.Td>
                <Table.Td>{heartbeat ? <When time={heartbeat} /> : holder && t("system.leaseAlone")}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </WideTable>
      )}
    </>
  );
}

/** What a principal may ask for, and how busy the process is. */
export function Limits({ system: { limits, levels } }: { system: System }) {
  const t = useTexts();
  const { language } = useLanguage();
  const number = (n: number) => (n === 0 ? t("system.noLimit") : n.toLocaleString(language));
  const bytes = (n: number) => `${(n / 2 ** 20).toLocaleString(language)} MiB`;
  const names: Record<string, string> = { ordinary: t("system.levelOrdinary"), hard: t("system.levelHard") };
  const facts = [
    [t("system.limitRate"), number(limits.requestsPerSecond)], [t("system.limitAtOnce"), number(limits.atOnce)], [t("system.limitWatches"), number(limits.watches)],
    [t("system.limitQueue"), `${number(limits.queue)}, ${limits.queueWait}`], [t("system.limitBody"), bytes(limits.bodyBytes)], [t("system.limitBatch"), bytes(limits.batchBytes)],
  ] as const;
  return (
    <>
      <ul className={classes.rows}>
        {levels.map(({ name, seats, used, waiting, refused }) => (
          <li key={name}>
            <span className={classes.rowText}>
              {names[name] ?? name}
              <Progress value={(100 * used) / Math.max(1, seats)} size="sm" mt={4} aria-label={names[name] ?? name} />
              <Text size="xs" c="dimmed" mt={2}>{t("system.levelState", { used, seats, waiting, refused })}</Text>
            </span>
          </li>
        ))}
      </ul>
      <Table withRowBorders={false} verticalSpacing={3} horizontalSpacing="md" style={{ borderTop: "1px solid var(--mantine-color-default-border)" }}>
        <Table.Tbody>
          {facts.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={500}>{name}</Table.Th>
              <Table.Td ta="right">{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}
