import type { ServiceName } from "../api/services";
import type { Texts } from "../i18n/en";

/** A page that one can go to. */
export interface PageEntry {
  to: string;
  label: string;
  service?: ServiceName; // without which there is no such page
}

/** The pages that there are. Before it is known which services run, all of them. */
export function pagesOf(t: Texts, services?: ReadonlySet<string>): PageEntry[] {
  const all: PageEntry[] = [
    { to: "/explorer", label: t.explorer },
    { to: "/overrides", label: t.overrides, service: "override" },
    { to: "/descriptors", label: t.descriptors, service: "descriptor" },
    { to: "/layering", label: t.layering, service: "layering" },
    { to: "/resolutions", label: t.resolutions, service: "resolution" },
    { to: "/change-sets", label: t.changeSets, service: "changeset" },
    { to: "/activity", label: t.activity },
    { to: "/schema", label: t.schema },
  ];
  return all.filter(({ service }) => service === undefined || services === undefined || services.has(service));
}
