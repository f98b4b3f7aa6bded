import { Button, Group, NativeSelect, Stack, Text, TextInput, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import type { ActivitySearch } from "../addresses";
import { modelQuery } from "../api/queries";
import { changeSet } from "../api/view";
import { useTexts } from "../i18n/texts";
import { ChangeBadge } from "../shell/ChangeBadge";
import { Filters } from "../shell/Filters";
import { ButtonLink, PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ReasonButton } from "../shell/ReasonButton";
import { useReadOnlyNow } from "../view/moment";
import { usePageTitle } from "../shell/title";
import { isoOf, localOf } from "./choice";
import { Made } from "./Made";
import { transactionsQuery, type Transaction } from "./queries";
import { RevertDialog } from "./RevertDialog";
import classes from "./History.module.css";

const route = getRouteApi("/activity");

/** What was written, newest first, with a filter that the address has. */
export function ActivityPage() {
  const t = useTexts();
  usePageTitle(t("common.activity"));
  const { under, kind, principal, from, to } = route.useSearch();
  const search = { under, kind, principal, from, to };
  return (
    <Stack>
      <Title order={1} size="h2">
        {t("common.activity")}
      </Title>
      <Filters active={Object.values(search).filter((text) => text !== undefined).length}>
        <Filter key={JSON.stringify(search)} search={search} />
      </Filters>
      <Transactions search={search} />
    </Stack>
  );
}

/** How wide the choice of a kind is, in pixels: also before the kinds are known, so that nothing moves when they come. */
const kindsWidth = 240;

function Filter({ search }: { search: ActivitySearch }) {
  const t = useTexts();
  const navigate = route.useNavigate();
  const model = useQuery(modelQuery);
  const [draft, setDraft] = useState(search);
  const set = (change: ActivitySearch) => setDraft({ ...draft, ...change });
  const kinds = model.data?.kinds.filter((kind) => !kind.abstract).map((kind) => kind.name) ?? [];
  const submit = () =>
    void navigate({
      search: {
        under: draft.under?.trim() || undefined, kind: draft.kind || undefined, principal: draft.principal?.trim() || undefined, from: draft.from, to: draft.to,
      },
    });
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Group align="flex-end" gap="sm">
        <TextInput data-filter label={t("history.below")} description={t("history.hintBelow")} value={draft.under ?? ""} onChange={(event) => set({ under: event.currentTarget.value })} />
        <NativeSelect w={kindsWidth} label={t("common.kind")} value={draft.kind ?? ""} onChange={(event) => set({ kind: event.currentTarget.value })} data={[{ value: "", label: t("common.anyKind") }, ...kinds]} />
        <TextInput label={t("history.user")} value={draft.principal ?? ""} onChange={(event) => set({ principal: event.currentTarget.value })} />
        <TextInput type="datetime-local" label={t("history.timeFrom")} defaultValue={localOf(search.from)} onChange={(event) => set({ from: isoOf(event.currentTarget.value) })} />
        <TextInput type="datetime-local" label={t("history.timeTo")} defaultValue={localOf(search.to)} onChange={(event) => set({ to: isoOf(event.currentTarget.value) })} />
        <Button type="submit">{t("common.filter")}</Button>
        <Button variant="default" onClick={() => void navigate({ search: {} })}>
          {t("common.clearFilter")}
        </Button>
      </Group>
    </form>
  );
}

function Transactions({ search }: { search: ActivitySearch }) {
  const t = useTexts();
  const [reverting, setReverting] = useState<string>();
  const [done, setDone] = useState(false);
  const list = useInfiniteQuery(transactionsQuery(search));
  const transactions = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {done && <Text role="status">{changeSet() === "" ? t("history.reverted") : t("common.savedStaged")}</Text>}
      {list.isPending && <Text role="status">{t("common.loading")}</Text>}
      {list.isError && <ProblemAlert error={list.error} />}
      {list.isSuccess && transactions.length === 0 && <Text role="status">{Object.values(search).every((text) => text === undefined) ? t("common.noTransactions") : t("common.nothingFound")}</Text>}
      {transactions.length > 0 && (
        <ol className={classes.rows} aria-label={t("history.transactions")}>
          {transactions.map((transaction) => (
            <Row key={transaction.position} transaction={transaction} onRevert={() => { setDone(false); setReverting(transaction.position); }} />
          ))}
        </ol>
      )}
      {list.hasNextPage && (
        <Button variant="default" size="xs" style={{ alignSelf: "flex-start" }} loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t("common.more")}
        </Button>
      )}
      {reverting !== undefined && (
        <RevertDialog position={reverting} onClose={() => setReverting(undefined)}
          onDone={() => {
            setReverting(undefined);
            setDone(true);
          }} />
      )}
    </>
  );
}

/** How many changes of a transaction are listed at first. */
const fewChanges = 5;

function Row({ transaction, onRevert }: { transaction: Transaction; onRevert: () => void }) {
  const t = useTexts();
  const past = useReadOnlyNow();
  const [all, setAll] = useState(false);
  const { changes, position, time } = transaction;
  return (
    <li className={classes.row}>
      <div className={classes.body}>
        <Group gap="xs">
          <Made by={transaction} time={time} />
        </Group>
        <ul className={classes.changes}>
          {(all ? changes : changes.slice(0, fewChanges)).map(({ op, id, kind }, i) => (
            <li key={`${op} ${id}`}>
              <ChangeBadge change={op} />{" "}
              <PageLink data-move={i === 0 || undefined} to="/explorer" search={{ id, tab: "history", at: position }} size="sm">
                {id}
              </PageLink>{" "}
              <Text span size="xs" c="dimmed">
                {kind}
              </Text>
            </li>
          ))}
        </ul>
        {!all && changes.length > fewChanges && (
          <Button variant="default" size="compact-xs" mt={4} onClick={() => setAll(true)}>
            {t("common.showAll", { n: changes.length })}
          </Button>
        )}
      </div>
      <Group gap={6} className={classes.actions}>
        <ButtonLink variant="default" size="compact-xs" to="/explorer" search={{ asOf: position, changeSet: undefined }}>
          {t("history.showThen")}
        </ButtonLink>
        <ReasonButton reason={past} variant="default" size="compact-xs" onClick={onRevert}>
          {t("history.revertTransaction")}
        </ReasonButton>
      </Group>
    </li>
  );
}
