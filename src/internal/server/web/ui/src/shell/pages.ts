import { Activity, Cpu, FolderTree, GitPullRequestArrow, House, Layers, ListTree, ScrollText, Share2, SlidersHorizontal, Target, type LucideIcon } from "lucide-react";
import type { ServiceName } from "../api/services";
import type { Texts } from "../i18n/texts";

/** A page that one can go to. */
export interface PageEntry {
  to: string;
  letter: string; // after g, goes there
  label: string;
  icon: LucideIcon;
  service?: ServiceName; // without which there is no such page
}

/** The pages that there are for one who may read documents of some kinds, and perhaps who did what. Before it is known which services run, all of them. */
export function pagesOf(t: Texts, services?: ReadonlyMap<string, string[]>, readable?: ReadonlySet<string>, audit = false): PageEntry[] {
  const all: PageEntry[] = [
    { to: "/", letter: "h", label: t("common.home"), icon: House },
    { to: "/explorer", letter: "e", label: t("common.explorer"), icon: FolderTree },
    { to: "/overrides", letter: "o", label: t("common.overrides"), icon: SlidersHorizontal, service: "override" },
    { to: "/descriptors", letter: "d", label: t("common.descriptors"), icon: ListTree, service: "descriptor" },
    { to: "/layering", letter: "l", label: t("common.layering"), icon: Layers, service: "layering" },
    { to: "/resolutions", letter: "r", label: t("common.resolutions"), icon: Target, service: "resolution" },
    { to: "/change-sets", letter: "c", label: t("common.changeSets"), icon: GitPullRequestArrow, service: "changeset" },
    { to: "/activity", letter: "a", label: t("common.activity"), icon: Activity },
    ...(audit ? [{ to: "/audit", letter: "u", label: t("common.audit"), icon: ScrollText }] : []),
    { to: "/schema", letter: "s", label: t("common.schema"), icon: Share2 },
    { to: "/system", letter: "y", label: t("common.system"), icon: Cpu },
  ];
  const shows = (service: ServiceName) => {
    const kinds = services?.get(service);
    return services === undefined || (kinds !== undefined && (readable === undefined || kinds.some((kind) => readable.has(kind))));
  };
  return all.filter(({ service }) => service === undefined || shows(service));
}
