import { Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { GitPullRequestArrow } from "lucide-react";
import { changeSetsQuery } from "../changesets/queries";
import { titleOf } from "../changesets/review";
import { useTexts } from "../i18n/texts";
import { PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { When } from "../shell/When";
import { Nothing, Panel, Waiting } from "./Panel";
import classes from "./Home.module.css";

const shown = 6;

/** The change sets that wait for somebody. */
export function OpenChangeSets() {
  const t = useTexts();
  const list = useInfiniteQuery(changeSetsQuery({ state: "open" }));
  const open = list.data?.pages.flatMap((page) => page.items).slice(0, shown) ?? [];
  return (
    <Panel title={t("home.openChangeSets")} icon={<GitPullRequestArrow size={16} aria-hidden />} aside={<PageLink to="/change-sets" size="sm">{t("common.allChangeSets")}</PageLink>}>
      {list.isPending && <Waiting rows={2} />}
      {list.isError && <ProblemAlert error={list.error} />}
      {list.isSuccess && open.length === 0 && <Nothing>{t("common.noOpenChangeSets")}</Nothing>}
      <ul className={classes.rows}>
        {open.map((set) => (
          <li key={set.name}>
            <span className={classes.rowText}>
              <PageLink to="/change-sets" search={{ name: set.name }} size="sm">
                {titleOf(set)}
              </PageLink>
              <Text size="xs" c="dimmed">
                {set.author || t("common.unknownUser")} · {t("home.documentsStaged", { n: set.total })}
              </Text>
            </span>
            <Text span size="xs" c="dimmed">
              <When time={set.created} />
            </Text>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
