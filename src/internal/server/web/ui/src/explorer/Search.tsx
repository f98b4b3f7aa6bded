import { Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useState } from "react";
import type { ExplorerSearch } from "../addresses";
import { documentsQuery, existsQuery } from "../api/queries";
import { useTexts } from "../i18n/texts";
import type { Model } from "../model/kinds";
import { PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { occurrences } from "./occurrences";
import { filterOf, searches, type SearchBy } from "./searches";

const route = getRouteApi("/explorer");

/** Where one says what to search for. The address has it, so that a search can be sent to others. */
export function SearchForm({ model, search }: { model: Model; search: ExplorerSearch }) {
  const t = useTexts();
  const navigate = route.useNavigate();
  const [by, setBy] = useState<SearchBy>(searches.find((s) => s === search.by) ?? "name");
  const [find, setFind] = useState(search.find ?? "");
  const [kind, setKind] = useState(search.kind ?? "");
  const names: Record<SearchBy, string> = { name: t("common.byName"), id: t("explorer.byId"), value: t("explorer.byValue"), labels: t("explorer.byLabels"), fields: t("explorer.byFields") };
  const hints: Record<SearchBy, string> = { name: t("explorer.hintName"), id: t("explorer.hintId"), value: t("explorer.hintValue"), labels: t("explorer.hintLabels"), fields: t("explorer.hintFields") };
  const submit = () => void navigate({ search: (before) => ({ ...before, by, find: find.trim() || undefined, kind: kind || undefined }) });
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap={6} mb="sm">
        <TextInput type="search" label={t("explorer.searchFor")} description={hints[by]} value={find} onChange={(e) => setFind(e.currentTarget.value)} />
        <Group gap={6} grow align="flex-end">
          <NativeSelect label={t("explorer.searchBy")} value={by} onChange={(e) => setBy(e.currentTarget.value as SearchBy)} data={searches.map((s) => ({ value: s, label: names[s] }))} />
          <NativeSelect label={t("common.kind")} value={kind} onChange={(e) => setKind(e.currentTarget.value)}
            data={[{ value: "", label: t("common.anyKind") }, ...model.kinds.filter((k) => !k.abstract).map((k) => k.name)]} />
        </Group>
        <Button type="submit" variant="default" leftSection={<Search size={15} aria-hidden />}>
          {t("explorer.search")}
        </Button>
      </Stack>
    </form>
  );
}

/** The way from a search to the hierarchy. */
export function BackToTree({ search }: { search: ExplorerSearch }) {
  const t = useTexts();
  return (
    <PageLink to="/explorer" search={search.id ? { id: search.id } : {}} size="sm">
      {t("explorer.backToTree")}
    </PageLink>
  );
}

/** What was found, page by page. */
export function SearchResults({ model, search }: { model: Model; search: ExplorerSearch }) {
  const t = useTexts();
  const list = useInfiniteQuery(documentsQuery(filterOf(search)));
  const found = list.data?.pages.flatMap((page) => page.items) ?? [];
  const text = search.by === "value" ? (search.find ?? "") : "";
  const path = search.by === "id" && search.find ? model.itemPath(search.find) : undefined;
  const exists = useQuery({ ...existsQuery(path ?? ""), enabled: path !== undefined });
  const itself = exists.data && search.find ? [search.find] : [];
  const known = list.isSuccess && (path === undefined || !exists.isPending);
  return (
    <Stack gap={4} component="section" aria-label={t("common.results")}>
      <BackToTree search={search} />
      {!known && !list.isError && <Text role="status">{t("common.loading")}</Text>}
      {list.isError && <ProblemAlert error={list.error} />}
      {exists.isError && <ProblemAlert error={exists.error} />}
      {known && !exists.isError && found.length + itself.length === 0 && <Text role="status">{t("common.nothingFound")}</Text>}
      <ul style={{ margin: 0, paddingLeft: 18 }}>
        {[...itself, ...found.map((document) => document.id)].map((id) => (
          <li key={id}>
            <PageLink data-move to="/explorer" search={{ ...search, id }} size="sm" style={{ overflowWrap: "anywhere" }}>
              {id}
            </PageLink>
            {text !== "" && occurrences(found.find((document) => document.id === id)?.data, text, model.kindOf(id)?.sensitive).map((line) => (
              <Text key={line} size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
                {line}
              </Text>
            ))}
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button variant="default" size="xs" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t("common.more")}
        </Button>
      )}
    </Stack>
  );
}
