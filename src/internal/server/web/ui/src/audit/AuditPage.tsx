import { Button, Group, NativeSelect, Stack, Text, TextInput, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import type { AuditSearch } from "../addresses";
import { modelQuery } from "../api/queries";
import { isoOf, localOf } from "../history/choice";
import { useTexts } from "../i18n/texts";
import { Filters } from "../shell/Filters";
import { ProblemAlert } from "../shell/ProblemAlert";
import { usePageTitle } from "../shell/title";
import { actions, recordsQuery } from "./queries";
import { Records, useActionName } from "./Records";

const route = getRouteApi("/audit");

/** Who did what, newest first, with a filter that the address has. */
export function AuditPage() {
  const t = useTexts();
  usePageTitle(t("common.audit"));
  const { principal, action, kind, under, from, to } = route.useSearch();
  const search = { principal, action, kind, under, from, to };
  return (
    <Stack>
      <Title order={1} size="h2">
        {t("common.audit")}
      </Title>
      <Filters active={Object.values(search).filter((text) => text !== undefined).length}>
        <Filter key={JSON.stringify(search)} search={search} />
      </Filters>
      <Found search={search} />
    </Stack>
  );
}

function Filter({ search }: { search: AuditSearch }) {
  const t = useTexts();
  const navigate = route.useNavigate();
  const model = useQuery(modelQuery);
  const nameOf = useActionName();
  const [draft, setDraft] = useState(search);
  const set = (change: AuditSearch) => setDraft({ ...draft, ...change });
  const kinds = model.data?.kinds.filter((kind) => !kind.abstract).map((kind) => kind.name) ?? [];
  const submit = () => {
    const { principal, action, kind, under, from, to } = draft;
    void navigate({ search: { principal: principal?.trim() || undefined, action: action || undefined, kind: kind || undefined, under: under?.trim() || undefined, from, to } });
  };
  return (
    <form role="search" onSubmit={(event) => { event.preventDefault(); submit(); }}>
      <Group align="flex-end" gap="sm">
        <TextInput data-filter label={t("history.user")} value={draft.principal ?? ""} onChange={(event) => set({ principal: event.currentTarget.value })} />
        <NativeSelect label={t("audit.auditAction")} value={draft.action ?? ""} onChange={(event) => set({ action: event.currentTarget.value })} data={[{ value: "", label: t("audit.auditAnyAction") }, ...actions.map((value) => ({ value, label: nameOf(value) }))]} />
        <NativeSelect label={t("common.kind")} value={draft.kind ?? ""} onChange={(event) => set({ kind: event.currentTarget.value })} data={[{ value: "", label: t("common.anyKind") }, ...kinds]} />
        <TextInput label={t("history.below")} value={draft.under ?? ""} onChange={(event) => set({ under: event.currentTarget.value })} />
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

function Found({ search }: { search: AuditSearch }) {
  const t = useTexts();
  const found = useInfiniteQuery(recordsQuery(search));
  if (found.isError) return <ProblemAlert error={found.error} />;
  if (!found.data) return <Text role="status">{t("common.loading")}</Text>;
  const records = found.data.pages.flatMap(({ items }) => items);
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Text role="status">{records.length === 0 ? t("audit.auditNone") : t(found.hasNextPage ? "audit.auditNewest" : "audit.auditCount", { n: records.length })}</Text>
        <Button variant="default" size="compact-xs" loading={found.isRefetching} onClick={() => void found.refetch()}>{t("audit.auditRefresh")}</Button>
      </Group>
      {records.length > 0 && <Records records={records} />}
      {found.hasNextPage && <Group><Button variant="default" size="xs" loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>{t("common.more")}</Button></Group>}
    </Stack>
  );
}
