import { Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Activity } from "lucide-react";
import { transactionsQuery } from "../history/queries";
import { useTexts } from "../i18n/texts";
import type { Model } from "../model/kinds";
import { KindIcon } from "../shell/KindIcon";
import { PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { When } from "../shell/When";
import { Nothing, Panel } from "./Panel";
import { Waiting } from "../shell/Waiting";
import classes from "./Home.module.css";

const shown = 8;

/** The last transactions: what, who, how long ago and why. */
export function Recent({ model }: { model: Model }) {
  const t = useTexts();
  const list = useInfiniteQuery({ ...transactionsQuery({}), refetchInterval: 10_000 });
  const transactions = (list.data?.pages[0]?.items ?? []).slice(0, shown);
  return (
    <Panel title={t("home.recentActivity")} icon={<Activity size={16} aria-hidden />} aside={<PageLink to="/activity" size="sm">{t("home.allActivity")}</PageLink>}>
      {list.isPending && <Waiting rows={5} />}
      {list.isError && <ProblemAlert error={list.error} />}
      {list.isSuccess && transactions.length === 0 && <Nothing>{t("common.noTransactions")}</Nothing>}
      <ul className={classes.rows}>
        {transactions.map(({ position, time, principal, message, changes }) => {
          const first = changes.find(({ kind }) => model.kind(kind)?.managed !== true) ?? changes[0];
          return (
            <li key={position}>
              {first && <KindIcon kind={first.kind} />}
              <span className={classes.rowText}>
                {first && (
                  <PageLink data-move to="/explorer" search={{ id: first.id, tab: "history", at: position }} title={first.id} size="sm">
                    {model.titleOf(first.id)}
                  </PageLink>
                )}{" "}
                {first && <Text span size="xs">{{ created: t("common.opCreated"), updated: t("common.opUpdated"), deleted: t("common.opDeleted") }[first.op]}</Text>}
                {changes.length > 1 && <Text span size="xs" c="dimmed"> {t("common.andMore", { n: changes.length - 1 })}</Text>}
                <Text size="xs" c="dimmed" truncate>
                  {principal || t("common.unknownUser")}
                  {message && ` · ${message}`}
                </Text>
              </span>
              <Text span size="xs" c="dimmed">
                <When time={time} />
              </Text>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
