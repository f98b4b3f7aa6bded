import { useQuery } from "@tanstack/react-query";
import { mayQuery } from "../api/access";
import { standingQuery } from "../api/lifecycle";
import { useProtection } from "../changesets/protection";
import { useTexts } from "../i18n/texts";
import type { Kind, Model } from "../model/kinds";
import { forbids } from "../model/lifecycle";
import { useReadOnly } from "../view/moment";

/** Why something cannot be done with a document now, in words; what is absent can. */
export interface Frozen {
  put?: string;
  delete?: string;
  children: Record<string, string>; // by kind, why none is created
  direct?: string; // which protection leaves the way through a change set only
}

/** What the rights of the user, the state of a document, and that of its parent, do not allow. */
export function useFrozen(model: Model, kind: Kind, id: string, path: string): Frozen {
  const t = useTexts();
  const past = useReadOnly();
  const above = model.ancestors(id).at(-1) ?? "";
  const parent = above === "" ? undefined : model.kindOf(above);
  const parentPath = above === "" ? undefined : model.itemPath(above);
  const depends = parentPath !== undefined && parent?.lifecycle?.freeze?.children?.[kind.name] !== undefined;
  const state = useQuery({ ...standingQuery(path), enabled: kind.lifecycle?.freeze !== undefined }).data?.lifecycle.state;
  const parentState = useQuery({ ...standingQuery(parentPath ?? ""), enabled: depends }).data?.lifecycle.state;
  const mayPut = useQuery(mayQuery("update", id)).data !== false;
  const mayDelete = useQuery(mayQuery("delete", id)).data !== false;
  const direct = useProtection([id]);
  const forbidden = forbids(kind.lifecycle, state);
  const byParent = parent && forbids(parent.lifecycle, parentState).children.includes(kind.name) ? t("explorer.frozenByParent", { kind: parent.name, state: parentState ?? "" }) : undefined;
  if (past !== undefined) return { put: past, delete: past, children: Object.fromEntries(model.childKinds(kind).map(({ name }) => [name, past])) };
  return {
    put: mayPut ? (forbidden.put ? t("explorer.frozenPutIn", { state: state ?? "" }) : byParent) : t("explorer.mayNotUpdate"),
    delete: mayDelete ? (forbidden.delete ? t("explorer.frozenDeleteIn", { state: state ?? "" }) : byParent) : t("explorer.mayNotDelete"),
    direct,
    children: Object.fromEntries(forbidden.children.map((child) => [child, t("explorer.frozenCreateIn", { state: state ?? "" })])),
  };
}
