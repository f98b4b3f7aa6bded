import type { PictureEdge, PictureNode } from "../graph/model";
import type { PackageVersion, Upgrade, WholePackage } from "./catalogqueries";

/** A channel of a package with its newest version. */
export interface Channel {
  name: string;
  head: string;
  count: number;
  isDefault: boolean;
}

/** The channels of a package, the default one first, then by name, as resolutions prefer them. */
export function channelsOf({ versions, defaultChannel }: WholePackage): Channel[] {
  const channels = new Map<string, Channel>();
  for (const { version, channels: names = [] } of versions) {
    for (const name of names) {
      const known = channels.get(name);
      if (known) known.count += 1;
      else channels.set(name, { name, head: version, count: 1, isDefault: name === defaultChannel });
    }
  }
  return [...channels.values()].sort((a, b) => Number(b.isDefault) - Number(a.isDefault) || a.name.localeCompare(b.name));
}

/** The versions of a channel, all without one. */
export function versionsIn({ versions }: WholePackage, channel?: string): PackageVersion[] {
  return channel === undefined ? versions : versions.filter(({ channels = [] }) => channels.includes(channel));
}

/** The fewest upgrades from one version to another: the versions on the way, both included; undefined where there is none. */
export function wayBetween(upgrades: Upgrade[], from: string, to: string): string[] | undefined {
  const next = new Map<string, string[]>();
  for (const upgrade of upgrades) next.set(upgrade.from, [...(next.get(upgrade.from) ?? []), upgrade.to]);
  const before = new Map<string, string | undefined>([[from, undefined]]);
  for (const at of before.keys()) {
    if (at === to) break;
    for (const step of next.get(at) ?? []) if (!before.has(step)) before.set(step, at);
  }
  if (!before.has(to)) return undefined;
  const way: string[] = [];
  for (let at: string | undefined = to; at !== undefined; at = before.get(at)) way.unshift(at);
  return way;
}

/** What the boxes of a picture are called. */
export interface Notes {
  head: string;
  deprecated: string;
  withdrawn: string;
  absent: string; // named by an upgrade, but not in the catalog
}

/**
 * The picture of the upgrades between versions: each arrow from a version to one that it becomes. Ranges give nearly every pair one: those
 * are drawn for the chosen version alone. Of the versions of a channel some are drawn, with those of other channels that become one of them.
 */
export function upgradePicture(whole: WholePackage, channel: PackageVersion[], drawn: PackageVersion[], notes: Notes, chosen?: string): { nodes: PictureNode[]; edges: PictureEdge[] } {
  const shown = new Set(drawn.map(({ version }) => version));
  const left = new Set(channel.map(({ version }) => version).filter((version) => !shown.has(version)));
  const known = new Map(whole.versions.map((version) => [version.version, version]));
  const heads = new Map(channelsOf(whole).map(({ name, head }) => [name, head]));
  const edges: PictureEdge[] = [];
  const others = new Set<string>();
  for (const { from, to, by } of whole.upgrades) {
    if (!shown.has(to) || left.has(from) || (by === "skipRange" && from !== chosen && to !== chosen)) continue;
    if (!shown.has(from)) others.add(from);
    edges.push({ from, to, dashed: by !== "replaces", label: by === "replaces" ? undefined : by });
  }
  const boxOf = ({ version, channels = [], deprecated, withdrawn }: PackageVersion): PictureNode => {
    const marks = [channels.some((name) => heads.get(name) === version) && notes.head, deprecated === true && notes.deprecated, withdrawn === true && notes.withdrawn].filter((mark) => mark !== false);
    return { id: version, title: version, note: marks.length > 0 ? marks.join(", ") : channels.slice(0, 2).join(", "), main: version === chosen };
  };
  const absentBox = (version: string): PictureNode => ({ id: version, title: version, note: notes.absent });
  return { nodes: [...drawn.map(boxOf), ...[...others].map((version) => (known.has(version) ? boxOf(known.get(version) as PackageVersion) : absentBox(version)))], edges };
}

/** An expression over packages, as the catalog has it, in a line. */
export function needOf(need: unknown): string {
  if (typeof need === "string") return need;
  const { name, versionRange, channel, ...rest } = (need ?? {}) as Record<string, unknown>;
  const more = Object.keys(rest).length > 0 ? JSON.stringify(rest) : "";
  return [name, versionRange, channel !== undefined && `(${String(channel)})`, more].filter((part) => typeof part === "string" && part !== "").join(" ") || JSON.stringify(need);
}
