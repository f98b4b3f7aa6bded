import { queryOptions } from "@tanstack/react-query";
import { send } from "../api/client";
import type { Page } from "../api/documents";
import type { components } from "../api/openapi";
import { inView } from "../api/view";
import { formatId, nameOf } from "../model/ids";

/** A package with its versions, the newest first, and the upgrades between them. */
export type WholePackage = components["schemas"]["ResolutionPackage"];
export type PackageVersion = WholePackage["versions"][number];
export type Upgrade = WholePackage["upgrades"][number];

/** How many packages are listed of a source. */
const mostPackages = 5000;

/** The names of the packages of a source, of those that one may read, with whether they are deprecated; and whether there are more. */
export function packagesQuery(source: string) {
  return queryOptions({
    queryKey: ["documents", "packages", source],
    queryFn: async () => {
      const names: { name: string; deprecated: boolean }[] = [];
      let next: string | undefined = "";
      while (next !== undefined && names.length < mostPackages) {
        const query = new URLSearchParams({ kind: "package", under: formatId([{ name: "source", value: source }]), limit: "1000", ...(next !== "" && { continue: next }) });
        // oxlint-disable-next-line no-await-in-loop -- each page says where the next one begins
        const page = (await (await send("GET", inView(`/v2/documents?${query}`))).json()) as Page<{ id: string; data?: { spec?: { deprecated?: boolean } } }>;
        names.push(...page.items.map(({ id, data }) => ({ name: nameOf(id), deprecated: data?.spec?.deprecated === true })));
        next = page.continue || undefined;
      }
      return { names, more: next !== undefined };
    },
  });
}

/** A package of a source. */
export function packageQuery(source: string, name: string) {
  return queryOptions({
    queryKey: ["documents", "package", source, name],
    queryFn: async () => (await (await send("GET", inView(`/api/sources/${encodeURIComponent(source)}/packages/${encodeURIComponent(name)}`))).json()) as WholePackage,
  });
}
