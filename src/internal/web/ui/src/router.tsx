import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { NotFound } from "./shell/NotFound";
import { Shell } from "./shell/Shell";

/** What the address of the explorer says. Everything of it may be left out. */
export interface ExplorerSearch {
  id?: string;
  tab?: string;
  by?: string;
  find?: string;
  kind?: string;
  depth?: string;
}

/** What the address of the form for a new document says. */
export interface NewSearch {
  under?: string;
  kind?: string;
}

/** What the address of the schema says. */
export interface SchemaSearch {
  kind?: string;
  tab?: string;
}

/** What the address of the solution descriptors says. */
export interface DescriptorsSearch {
  environment?: string;
  tab?: string;
}

/** What the address of the overrides says: what they are for, and how they are looked at. */
export interface OverridesSearch {
  cluster?: string;
  environment?: string;
  context?: string;
  level?: string;
  namespace?: string;
  application?: string;
  tab?: string;
  view?: string;
  path?: string; // of the value whose origin is shown
  overlap?: string;
}

/** What the address of the layered documents says. */
export interface LayeringSearch {
  revision?: string;
  tab?: string;
  schema?: string;
  name?: string;
  layer?: string;
  other?: string; // the revision that is compared
  path?: string; // of the value whose origin is shown
}

/** What the address of the resolutions says. */
export interface ResolutionsSearch {
  name?: string;
  tab?: string;
  without?: string; // the constraints that are left out in a trial
}

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/explorer", replace: true });
  },
});

const explorer = createRoute({
  getParentRoute: () => root,
  path: "/explorer",
  validateSearch: (search): ExplorerSearch => texts(search, ["id", "tab", "by", "find", "kind", "depth"]),
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
  validateSearch: (search): OverridesSearch => texts(search, ["cluster", "environment", "context", "level", "namespace", "application", "tab", "view", "path", "overlap"]),
  component: lazyRouteComponent(() => import("./override/OverridesPage"), "OverridesPage"),
});

const layering = createRoute({
  getParentRoute: () => root,
  path: "/layering",
  validateSearch: (search): LayeringSearch => texts(search, ["revision", "tab", "schema", "name", "layer", "other", "path"]),
  component: lazyRouteComponent(() => import("./layering/LayeringPage"), "LayeringPage"),
});

const resolutions = createRoute({
  getParentRoute: () => root,
  path: "/resolutions",
  validateSearch: (search): ResolutionsSearch => texts(search, ["name", "tab", "without"]),
  component: lazyRouteComponent(() => import("./resolution/ResolutionsPage"), "ResolutionsPage"),
});

const schema = createRoute({
  getParentRoute: () => root,
  path: "/schema",
  validateSearch: (search): SchemaSearch => texts(search, ["kind", "tab"]),
  component: lazyRouteComponent(() => import("./schema/SchemaPage"), "SchemaPage"),
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
  routeTree: root.addChildren([home, explorer, create, overrides, descriptors, layering, resolutions, schema]),
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
