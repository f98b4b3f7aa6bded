import { Loader, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent, type ReactNode } from "react";
import { documentsQuery, existsQuery } from "../api/queries";
import { useTexts } from "../i18n/texts";
import type { Kind, Model } from "../model/kinds";
import { ProblemAlert } from "../shell/ProblemAlert";
import classes from "./Tree.module.css";
import { moveFocus } from "./treekeys";

interface Props {
  model: Model;
  selected: string; // an id, or ""
  onSelect: (id: string) => void;
}

/** What every row needs of the tree. */
interface Context extends Props {
  isOpen: (row: string) => boolean;
  toggle: (row: string) => void;
}

/** The row of the documents of a kind below a document. */
function groupRow(kind: Kind, under: string): string {
  return `${under}//${kind.name}`;
}

/** The hierarchy. Below each document stand the kinds that may be there, below those the documents, page by page. */
export function Tree({ model, selected, onSelect }: Props) {
  const t = useTexts();
  const above = useMemo(() => rowsAbove(model, selected), [model, selected]);
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isOpen = useCallback((row: string) => toggled.get(row) ?? above.has(row), [toggled, above]);
  const toggle = useCallback((row: string) => setToggled((rows) => new Map(rows).set(row, !(rows.get(row) ?? above.has(row)))), [above]);
  const context = { model, selected, onSelect, isOpen, toggle };
  return (
    <ul role="tree" aria-label={t("explorer.hierarchy")} className={classes.tree}>
      {model.childKinds().map((kind, i) => (
        <Group key={kind.name} context={context} kind={kind} under="" level={1} first={i === 0} />
      ))}
    </ul>
  );
}

/** The rows that must be open for the document to be seen. */
function rowsAbove(model: Model, id: string): Set<string> {
  const rows = new Set<string>();
  let under = "";
  for (const step of [...model.ancestors(id), id]) {
    const kind = model.kindOf(step);
    if (kind) rows.add(groupRow(kind, under));
    if (step !== id) rows.add(step);
    under = step;
  }
  return rows;
}

interface GroupProps {
  context: Context;
  kind: Kind;
  under: string;
  level: number;
  first: boolean;
}

function Group({ context, kind, under, level, first }: GroupProps) {
  const row = groupRow(kind, under);
  const open = context.isOpen(row);
  const toggle = () => context.toggle(row);
  return (
    <li role="none">
      <Row level={level} open={open} focusable={first} onChoose={toggle} onToggle={toggle}>
        <span className={classes.kind}>{kind.name}</span>
      </Row>
      {open && <Documents context={context} kind={kind} under={under} level={level + 1} />}
    </li>
  );
}

function Documents({ context, kind, under, level }: Omit<GroupProps, "first">) {
  const t = useTexts();
  const list = useInfiniteQuery(documentsQuery({ kind: kind.name, under }));
  const documents = list.data?.pages.flatMap((page) => page.items) ?? [];
  const sought = onTheWay(context, kind, under);
  const beyond = sought !== undefined && list.hasNextPage && !documents.some(({ id }) => id === sought); // on a page to come
  const path = beyond ? context.model.itemPath(sought) : undefined;
  const exists = useQuery({ ...existsQuery(path ?? ""), enabled: path !== undefined });
  return (
    <ul role="group" className={classes.group} aria-busy={list.isPending}>
      {list.isPending && <li role="none" className={classes.note}><Loader size="xs" aria-hidden /></li>}
      {list.isError && <li role="treeitem" aria-level={level} aria-selected={false} tabIndex={-1}><ProblemAlert error={list.error} /></li>}
      {list.isSuccess && documents.length === 0 && <li role="none" className={classes.note}><Text size="sm" c="dimmed">{t("explorer.emptyGroup")}</Text></li>}
      {documents.map(({ id }) => (
        <Node key={id} context={context} kind={kind} id={id} level={level} />
      ))}
      {beyond && exists.data && <Node context={context} kind={kind} id={sought} level={level} />}
      {list.hasNextPage && (
        <li role="none">
          <Row level={level} onChoose={() => void list.fetchNextPage()}>
            <span className={classes.more}>{list.isFetchingNextPage ? t("common.loading") : t("common.more")}</span>
          </Row>
        </li>
      )}
    </ul>
  );
}

/** The selected document or the one above it that is among the documents of a kind below a document. */
function onTheWay({ model, selected }: Context, kind: Kind, under: string): string | undefined {
  const way = ["", ...model.ancestors(selected), selected];
  return way.find((id, i) => way[i - 1] === under && model.kindOf(id)?.name === kind.name);
}

interface NodeProps {
  context: Context;
  kind: Kind;
  id: string;
  level: number;
}

function Node({ context, kind, id, level }: NodeProps) {
  const below = context.model.childKinds(kind);
  const open = below.length > 0 ? context.isOpen(id) : undefined;
  const chosen = context.selected === id;
  return (
    <li role="none">
      <Row level={level} open={open} selected={chosen} focusable={chosen} onChoose={() => context.onSelect(id)} onToggle={() => context.toggle(id)}>
        <span className={classes.name} title={id}>{context.model.titleOf(id)}</span>
      </Row>
      {open && (
        <ul role="group" className={classes.group}>
          {below.map((child) => (
            <Group key={child.name} context={context} kind={child} under={id} level={level + 1} first={false} />
          ))}
        </ul>
      )}
    </li>
  );
}

interface RowProps {
  level: number;
  open?: boolean; // undefined when there is nothing below
  selected?: boolean;
  focusable?: boolean; // whether Tab leads here
  onChoose: () => void;
  onToggle?: () => void;
  children: ReactNode;
}

/** One row: a click chooses it, a click on its arrow opens or closes it, and the keys do as in every tree. */
function Row({ level, open, selected = false, focusable = false, onChoose, onToggle, children }: RowProps) {
  const onClick = (event: MouseEvent) => {
    const onArrow = event.target instanceof Element && event.target.classList.contains(classes.arrow ?? "");
    (onArrow && onToggle ? onToggle : onChoose)();
  };
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (selected && row.current) reveal(row.current);
  }, [selected]);
  return (
    <div ref={row} role="treeitem" aria-level={level} aria-expanded={open} aria-selected={selected} tabIndex={focusable ? 0 : -1} className={classes.row}
      onClick={onClick} onKeyDown={(event) => onKey(event, open, onChoose, onToggle)}>
      <span aria-hidden className={classes.arrow} data-open={open || undefined}>
        {open === undefined ? "" : "▸"}
      </span>
      {children}
    </div>
  );
}

/** Scrolls the tree, and nothing else, until a row of it is in sight. */
function reveal(row: HTMLElement): void {
  const tree = row.closest<HTMLElement>('[role="tree"]');
  if (!tree) return;
  const inside = tree.getBoundingClientRect();
  const place = row.getBoundingClientRect();
  if (place.top < inside.top || place.bottom > inside.bottom) tree.scrollTop += place.top - inside.top - (inside.height - place.height) / 2;
}

/** The keys of a tree: arrows move, open and close, Enter and the space bar choose. */
function onKey(event: KeyboardEvent<HTMLElement>, open: boolean | undefined, choose: () => void, toggle?: () => void): void {
  const row = event.currentTarget;
  const right = () => (open === false ? toggle?.() : moveFocus(row, "next"));
  const left = () => (open ? toggle?.() : moveFocus(row, "parent"));
  const actions: Record<string, () => void> = {
    Enter: choose,
    " ": choose,
    ArrowRight: right,
    ArrowLeft: left,
    ArrowDown: () => moveFocus(row, "next"),
    ArrowUp: () => moveFocus(row, "previous"),
    Home: () => moveFocus(row, "first"),
    End: () => moveFocus(row, "last"),
  };
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}
