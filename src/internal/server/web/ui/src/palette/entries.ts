import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useMemo } from "react";
import { kindsQuery } from "../api/access";
import { api, bodyOf } from "../api/client";
import { modelQuery } from "../api/queries";
import { servicesQuery } from "../api/services";
import { changeSet, moment } from "../api/view";
import { mayAuditQuery } from "../audit/queries";
import { changeSetQuery, changeSetsQuery } from "../changesets/queries";
import { useView } from "../changesets/view";
import { languages, useLanguage, useTexts, type Language } from "../i18n/texts";
import { parseId } from "../model/ids";
import type { Model } from "../model/kinds";
import { pagesOf } from "../shell/pages";
import { savedViews } from "../table/savedviews";
import { rank, ranked } from "./rank";
import { recent } from "./recent";

/** What one can go to, or do. */
export interface Entry {
  key: string;
  label: string;
  note?: string; // where it is, or what it is
  kind?: string; // of a document
  act: () => void;
}

/** Entries under a heading. */
export interface Section {
  title: string;
  entries: Entry[];
}

/** The documents that the server finds by a text. */
export function searchQuery(text: string) {
  return queryOptions({
    queryKey: ["search", text],
    queryFn: async ({ signal }) => bodyOf(await api.GET("/v2/search", { params: { query: { text, limit: mostDocuments } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 1_000,
  });
}

const mostDocuments = 20;
const mostOthers = 8;

/** What there is for a text. */
export interface Found {
  sections: Section[]; // what fits it, and then the way to what contains it
  fitting: boolean; // whether anything fits it
  partial: boolean; // there are more documents than are searched
  pending: boolean;
  error: Error | null;
}

/** All that fits a text: documents, kinds, pages, actions. Without a text the documents that were opened last, the pages and the actions. */
export function useSections(text: string): Found {
  const t = useTexts();
  const model = useQuery(modelQuery).data;
  const names = useQuery(searchQuery(text));
  const staged = useStaged();
  const open = useOpen();
  const actions = useActions(model);
  const pages = usePages();
  const sections = useMemo(() => {
    if (model === undefined) return [];
    const documentOf = (id: string): Entry => {
      const values = parseId(id)?.map(({ value }) => value) ?? [];
      const label = model.titleOf(id);
      const above = values.slice(0, values.length - label.split(" / ").length).join(" / ");
      return { key: id, label, note: above, kind: model.kindOf(id)?.name, act: () => open("/explorer", { id }) };
    };
    const kinds = model.kinds.filter((kind) => !kind.abstract).map((kind): Entry => ({ key: `kind ${kind.name}`, label: kind.name, note: kind.description, act: () => open("/explorer", { kind: kind.name }) }));
    const those = (all: Entry[]) => (text === "" ? all : ranked(all, text, ({ label }) => label)).slice(0, mostOthers);
    const stagedIds = ranked(staged, text, (id) => model.titleOf(id));
    const ids = text === "" ? recent() : [...new Set([...stagedIds, ...(names.data?.items.map(({ id }) => id) ?? [])])].slice(0, mostDocuments);
    const values: Section = { title: t("palette.inDocuments"), entries: text === "" || names.isFetching ? [] : [{ key: "values", label: t("palette.searchValues", { text }), act: () => open("/explorer", { by: "value", find: text }) }] };
    const found = [
      { title: text === "" ? t("palette.recentDocuments") : t("common.documents"), entries: ids.map(documentOf) },
      { title: t("common.kinds"), entries: text === "" ? [] : those(kinds) },
      { title: t("palette.pages"), entries: text === "" ? pages : those(pages) },
      { title: t("common.actions"), entries: those(actions) },
    ].sort((a, b) => bestOf(a, text) - bestOf(b, text));
    return [...found, values].filter(({ entries }) => entries.length > 0);
  }, [actions, names.data, names.isFetching, model, open, pages, staged, t, text]);
  return { sections, fitting: sections.some(({ title }) => title !== t("palette.inDocuments")), partial: names.data?.partial ?? false, pending: names.isFetching || model === undefined, error: names.error };
}

/** How well the first entry of a section fits a text, so that the section with the best one comes first. */
function bestOf({ entries }: Section, text: string): number {
  const [first] = entries;
  return text === "" || first === undefined ? 0 : (rank(first.label, text) ?? worst);
}

const worst = 100; // of what only the server found

/** The documents that the change set creates, in which the page works: the server finds those that are stored. */
function useStaged(): string[] {
  const name = changeSet();
  const { data } = useQuery({ ...changeSetQuery(name), enabled: name !== "" });
  return useMemo(() => data?.operations?.flatMap(({ id, verb }) => (verb === "create" && id !== undefined ? [id] : [])) ?? [], [data]);
}

function useOpen(): (to: string, search?: object) => void {
  const router = useRouter();
  return useMemo(() => (to, search = {}) => void router.navigate({ to, search }), [router]);
}

function usePages(): Entry[] {
  const t = useTexts();
  const open = useOpen();
  const services = useQuery(servicesQuery).data;
  const readable = useQuery(kindsQuery).data?.read;
  const audit = useQuery(mayAuditQuery).data;
  return useMemo(() => pagesOf(t, services, readable, audit).map(({ to, label }) => ({ key: to, label, act: () => open(to) })), [audit, open, services, readable, t]);
}

function useActions(model?: Model): Entry[] {
  const t = useTexts();
  const open = useOpen();
  const enter = useView();
  const { language, choose } = useLanguage();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const creatable = useQuery(kindsQuery).data?.create;
  const runs = useQuery(servicesQuery).data?.has("changeset") === true;
  const sets = useInfiniteQuery({ ...changeSetsQuery({ state: "open" }), enabled: runs }).data;
  const current = changeSet();
  const past = moment();
  return useMemo(() => {
    const create = model?.childKinds().filter(({ name }) => past === "" && (creatable === undefined || creatable.has(name))).map(({ name }): Entry => ({ key: `new ${name}`, label: t("common.newOf", { kind: name }), act: () => open("/explorer/new", { kind: name }) })) ?? [];
    const others = sets?.pages.flatMap((page) => page.items).filter(({ name }) => name !== current) ?? [];
    const switches = others.map(({ name, title = name }): Entry => ({ key: `set ${name}`, label: t("palette.switchTo", { name: title }), note: name, act: () => enter(name) }));
    const views = savedViews().map(({ name, search }): Entry => ({ key: `view ${search.kind} ${name}`, label: name, note: t("palette.savedView", { kind: search.kind ?? "" }), act: () => open("/explorer", search) }));
    const leave: Entry[] = past !== "" ? [{ key: "leave", label: t("view.backToNow"), act: () => enter(undefined) }] : current === "" ? [] : [{ key: "leave", label: t("palette.leaveView"), act: () => enter(undefined) }];
    const other = scheme === "dark" ? "light" : "dark";
    const languageEntries = Object.entries(languages).filter(([name]) => name !== language).map(([name, label]): Entry => ({ key: `language ${name}`, label: `${t("common.language")}: ${label}`, act: () => choose(name as Language) }));
    return [...leave, ...views, ...create, ...switches, { key: "scheme", label: other === "dark" ? t("common.useDark") : t("common.useLight"), act: () => setColorScheme(other) }, ...languageEntries];
  }, [choose, creatable, current, enter, language, model, open, past, scheme, setColorScheme, sets, t]);
}
