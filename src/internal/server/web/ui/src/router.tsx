import { createRootRoute, createRoute, createRouter, lazyRouteComponent, retainSearchParams } from "@tanstack/react-router";
import type { ActivitySearch, AuditSearch, ChangeSetsSearch, DescriptorsSearch, ExplorerSearch, LayeringSearch, NewSearch, OverridesSearch, ResolutionsSearch, SchemaSearch, ViewSearch } from "./addresses";
import { NotFound } from "./shell/NotFound";
import { Shell } from "./shell/Shell";

const root = createRootRoute({
  validateSearch: (search): ViewSearch => texts(search, ["changeSet", "asOf"]),
  search: { middlewares: [retainSearchParams<ViewSearch>(["changeSet", "asOf"])] },
  component: Shell,
  notFoundComponent: NotFound,
});

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("./home/HomePage"), "HomePage"),
});

const explorer = createRoute({
  getParentRoute: () => root,
  path: "/explorer",
  validateSearch: (search): ExplorerSearch => texts(search, ["id", "tab", "by", "find", "kind", "wide", "columns", "sort", "labels", "fields", "like", "depth", "to", "mark", "view", "at", "before"]),
  component: lazyRouteComponent(() => import("./explorer/ExplorerPage"), "ExplorerPage"),
});

const create = createRoute({
  getParentRoute: () => root,
  path: "/explorer/new",
  validateSearch: (search): NewSearch => texts(search, ["under", "kind"]),
  component: lazyRouteComponent(() => import("./explorer/NewPage"), "NewPage"),
});

const descriptors = createRoute({
  getParentRoute: () => root,
  path: "/descriptors",
  validateSearch: (search): DescriptorsSearch => texts(search, ["environment", "tab"]),
  component: lazyRouteComponent(() => import("./solution/DescriptorsPage"), "DescriptorsPage"),
});

const overrides = createRoute({
  getParentRoute: () => root,
  path: "/overrides",
  validateSearch: (search): OverridesSearch => texts(search, ["cluster", "environment", "context", "level", "namespace", "application", "side", "view", "path", "overlap"]),
  component: lazyRouteComponent(() => import("./override/OverridesPage"), "OverridesPage"),
});

const layering = createRoute({
  getParentRoute: () => root,
  path: "/layering",
  validateSearch: (search): LayeringSearch => texts(search, ["revision", "tab", "schema", "name", "layer", "other", "path", "show", "of"]),
  component: lazyRouteComponent(() => import("./layering/LayeringPage"), "LayeringPage"),
});

const resolutions = createRoute({
  getParentRoute: () => root,
  path: "/resolutions",
  validateSearch: (search): ResolutionsSearch => texts(search, ["name", "tab", "without", "source", "package", "channel", "version", "from"]),
  component: lazyRouteComponent(() => import("./resolution/ResolutionsPage"), "ResolutionsPage"),
});

const changeSets = createRoute({
  getParentRoute: () => root,
  path: "/change-sets",
  validateSearch: (search): ChangeSetsSearch => texts(search, ["state", "author", "name", "tab", "view"]),
  component: lazyRouteComponent(() => import("./changesets/ChangeSetsPage"), "ChangeSetsPage"),
});

const activity = createRoute({
  getParentRoute: () => root,
  path: "/activity",
  validateSearch: (search): ActivitySearch => texts(search, ["under", "kind", "principal", "from", "to"]),
  component: lazyRouteComponent(() => import("./history/ActivityPage"), "ActivityPage"),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  validateSearch: (search): AuditSearch => texts(search, ["principal", "action", "kind", "under", "from", "to"]),
  component: lazyRouteComponent(() => import("./audit/AuditPage"), "AuditPage"),
});

const schema = createRoute({
  getParentRoute: () => root,
  path: "/schema",
  validateSearch: (search): SchemaSearch => texts(search, ["kind", "tab"]),
  component: lazyRouteComponent(() => import("./schema/SchemaPage"), "SchemaPage"),
});

const system = createRoute({
  getParentRoute: () => root,
  path: "/system",
  component: lazyRouteComponent(() => import("./system/SystemPage"), "SystemPage"),
});

/** Keeps of an address what is text and known. */
function texts<Name extends string>(search: Record<string, unknown>, names: Name[]): { [name in Name]?: string } {
  const kept: { [name in Name]?: string } = {};
  for (const name of names) {
    const value = search[name];
    if (typeof value === "string" && value !== "") kept[name] = value;
  }
  return kept;
}

/** The addresses of the page. Their search is plain text, so that people can read and write it. */
export const router = createRouter({
  routeTree: root.addChildren([home, explorer, create, overrides, descriptors, layering, resolutions, changeSets, activity, audit, schema, system]),
  basepath: "/ui",
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const named = Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === "string");
    const text = new URLSearchParams(named).toString().replaceAll("%2F", "/");
    return text === "" ? "" : `?${text}`;
  },
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
