import { Badge, Button, Group, Input, SegmentedControl, Stack, Text, TextInput, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import type { ChangeSetsSearch } from "../addresses";
import { kindsQuery } from "../api/access";
import { useTexts } from "../i18n/texts";
import { PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ReasonButton } from "../shell/ReasonButton";
import { usePageTitle } from "../shell/title";
import { When } from "../shell/When";
import { CreateDialog } from "./CreateDialog";
import { useChangeSetChanges } from "./live";
import { changeSetsKey, changeSetsQuery, states, type ChangeSet } from "./queries";
import { decisionsOf, titleOf } from "./review";
import { ReviewPage } from "./ReviewPage";
import { StateBadge } from "./StateBadge";
import classes from "./ChangeSets.module.css";

const route = getRouteApi("/change-sets");

/** The change sets, or the review of the one that the address names. */
export function ChangeSetsPage() {
  const { name, tab, view, state, author } = route.useSearch();
  const queries = useQueryClient();
  useChangeSetChanges(name ?? "", () => void queries.invalidateQueries({ queryKey: changeSetsKey }));
  return name === undefined ? <List state={state} author={author} /> : <ReviewPage key={name} name={name} tab={tab} view={view} />;
}

/** Shows all states. */
const anyState = "all";

function List({ state = "open", author }: ChangeSetsSearch) {
  const t = useTexts();
  usePageTitle(t("common.changeSets"));
  const navigate = route.useNavigate();
  const [creating, setCreating] = useState(false);
  const creatable = useQuery(kindsQuery).data?.create.has("changeSet") !== false;
  const list = useInfiniteQuery(changeSetsQuery({ state: state === anyState ? undefined : state, author }));
  const found = list.data?.pages.flatMap((page) => page.items) ?? [];
  const names = { open: t("changesets.stateOpen"), merged: t("changesets.stateMerged"), closed: t("changesets.stateClosed") };
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {t("common.changeSets")}
        </Title>
        <ReasonButton reason={creatable ? undefined : t("common.mayNotCreate")} onClick={() => setCreating(true)}>
          {t("changesets.newChangeSet")}
        </ReasonButton>
      </Group>
      <Group align="flex-end" gap="sm">
        <div>
          <Input.Label component="div">{t("common.state")}</Input.Label>
          <div>
            <SegmentedControl aria-label={t("common.state")} value={state} onChange={(next) => void navigate({ search: (now) => ({ ...now, state: next === "open" ? undefined : next }) })}
              data={[...states.map((value) => ({ value, label: names[value] })), { value: anyState, label: t("changesets.allStates") }]} />
          </div>
        </div>
        <Author key={author} author={author} />
      </Group>
      {list.isPending && <Text role="status">{t("common.loading")}</Text>}
      {list.isError && <ProblemAlert error={list.error} />}
      {list.isSuccess && found.length === 0 && <Empty filtered={state !== anyState || author !== undefined} />}
      {found.length > 0 && (
        <ol className={classes.rows} aria-label={t("common.changeSets")}>
          {found.map((changeSet) => (
            <Row key={changeSet.name} changeSet={changeSet} />
          ))}
        </ol>
      )}
      {list.hasNextPage && (
        <Button variant="default" size="xs" style={{ alignSelf: "flex-start" }} loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t("common.more")}
        </Button>
      )}
      {creating && <CreateDialog onClose={() => setCreating(false)} onCreated={({ name }) => void navigate({ search: { name, changeSet: name } })} />}
    </Stack>
  );
}

function Author({ author }: { author?: string }) {
  const t = useTexts();
  const navigate = route.useNavigate();
  const [text, setText] = useState(author ?? "");
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        void navigate({ search: (now) => ({ ...now, author: text.trim() || undefined }) });
      }}
    >
      <Group align="flex-end" gap="sm">
        <TextInput label={t("changesets.author")} value={text} onChange={(event) => setText(event.currentTarget.value)} />
        <Button type="submit" variant="default">
          {t("common.filter")}
        </Button>
      </Group>
    </form>
  );
}

function Empty({ filtered }: { filtered: boolean }) {
  const t = useTexts();
  return (
    <>
      {filtered && <Text role="status">{t("common.nothingFound")}</Text>}
      <Text c="dimmed">{t("changesets.newChangeSetText")}</Text>
    </>
  );
}

function Row({ changeSet }: { changeSet: ChangeSet }) {
  const t = useTexts();
  const { name, state, author, created, merged, closed } = changeSet;
  const decisions = decisionsOf(changeSet.reviews);
  const count = (decision: string) => decisions.filter((review) => review.decision === decision).length;
  const end = merged ?? closed;
  return (
    <li className={classes.row}>
      <StateBadge state={state} />
      <div className={classes.body}>
        <PageLink data-move to="/change-sets" search={{ name }} fw={600}>
          {titleOf(changeSet)}
        </PageLink>
        <Text size="sm" c="dimmed">
          <code>{name}</code> · {author || t("common.unknownUser")}, <When time={created} />
          {end && (
            <>
              {" · "}
              {merged ? t("changesets.stateMerged") : t("changesets.stateClosed")}: {end.by || t("common.unknownUser")}, <When time={end.time} />
            </>
          )}
        </Text>
      </div>
      <Group gap={6}>
        {count("approve") > 0 && <Badge variant="default" tt="none">{t("changesets.approvals", { n: count("approve") })}</Badge>}
        {count("reject") > 0 && <Badge variant="default" tt="none">{t("changesets.rejections", { n: count("reject") })}</Badge>}
        <Text size="sm">{t("changesets.changesOf", { n: changeSet.total })}</Text>
      </Group>
    </li>
  );
}
