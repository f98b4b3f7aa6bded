import type { Texts } from "../i18n/texts";
import type { Kind, Model } from "../model/kinds";

/** The kinds of a service. */
export interface KindGroup {
  service: string;
  kinds: Kind[];
}

/** The service of kinds that the services themselves write. */
export const system = "system";

/** The kinds that documents can have, by service, the inventory first and those that services manage last. */
export function kindGroups(model: Model): KindGroup[] {
  const groups = new Map<string, Kind[]>();
  for (const kind of model.kinds) {
    if (kind.abstract) continue;
    const service = kind.managed || kind.service === "attachment" ? system : (kind.service ?? "");
    groups.set(service, [...(groups.get(service) ?? []), kind]);
  }
  return [...groups].sort((a, b) => place(a) - place(b)).map(([service, kinds]) => ({ service, kinds: kinds.toSorted((a, b) => a.key.length - b.key.length || a.name.localeCompare(b.name)) }));
}

/** Where a group stands among the others. */
function place([service]: [string, Kind[]]): number {
  if (service === system) return 2;
  return service === "inventory" || service === "" ? 0 : 1;
}

/** What people call a service; its name where the page has no word for it. */
export function serviceTitle(t: Texts, service: string): string {
  const titles: Record<string, string> = {
    "": t("shell.otherKinds"), inventory: t("shell.inventory"), override: t("common.overrides"), descriptor: t("common.descriptors"), layering: t("common.layering"), resolution: t("common.resolutions"), [system]: t("shell.systemKinds"),
  };
  return titles[service] ?? service;
}
