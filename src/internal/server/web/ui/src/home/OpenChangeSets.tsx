import { Text, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { GitPullRequestArrow } from "lucide-react";
import { changeSetsQuery, type ChangeSet } from "../changesets/queries";
import { titleOf } from "../changesets/review";
import { useTexts } from "../i18n/texts";
import { PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { rightsQuery } from "../api/access";
import { When } from "../shell/When";
import { Nothing, Panel } from "./Panel";
import { Waiting } from "../shell/Waiting";
import { every } from "./queries";
import classes from "./Home.module.css";

const shown = 6;

/** The change sets that are open: those that wait for the review of the user, their own, and the others. Where the server does not ask who one is, all of them. */
export function OpenChangeSets() {
  const t = useTexts();
  const me = useQuery(rightsQuery).data?.principal ?? "";
  const list = useInfiniteQuery({ ...changeSetsQuery({ state: "open" }), refetchInterval: every });
  const waiting = useInfiniteQuery({ ...changeSetsQuery({ state: "open", reviewer: "me" }), enabled: me !== "", refetchInterval: every }).data?.pages.flatMap((page) => page.items) ?? [];
  const open = list.data?.pages.flatMap((page) => page.items) ?? [];
  const mine = open.filter(({ author, authors = [] }) => me !== "" && (author === me || authors.includes(me)));
  const known = new Set([...waiting, ...mine].map(({ name }) => name));
  const groups = [
    { title: t("home.toReview"), sets: waiting },
    { title: t("home.myChangeSets"), sets: mine },
    { title: me === "" ? "" : t("home.othersChangeSets"), sets: open.filter(({ name }) => !known.has(name)) },
  ];
  return (
    <Panel title={t("common.openChangeSets")} icon={<GitPullRequestArrow size={16} aria-hidden />} aside={<PageLink to="/change-sets" size="sm">{t("common.allChangeSets")}</PageLink>}>
      {list.isPending && <Waiting rows={2} />}
      {list.isError && <ProblemAlert error={list.error} />}
      {list.isSuccess && open.length === 0 && <Nothing>{t("common.noOpenChangeSets")}</Nothing>}
      {groups.filter(({ sets }) => sets.length > 0).map(({ title, sets }) => (
        <Rows key={title} title={title} sets={sets.slice(0, shown)} />
      ))}
    </Panel>
  );
}

function Rows({ title, sets }: { title: string; sets: ChangeSet[] }) {
  const t = useTexts();
  return (
    <>
      {title !== "" && (
        <Title order={3} size="xs" c="dimmed" px="md" pt="xs">
          {title}
        </Title>
      )}
      <ul className={classes.rows} aria-label={title || undefined}>
        {sets.map((set) => (
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
    </>
  );
}
