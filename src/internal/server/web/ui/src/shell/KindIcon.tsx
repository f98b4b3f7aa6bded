import {
  AppWindow, Archive, Box, Boxes, Cable, FileCog, FileText, FolderGit2, Gauge, GitPullRequestArrow, IdCard, KeyRound, Layers, ListTree, Network, Package, Puzzle, Server, SlidersHorizontal, Target, Variable,
  type LucideIcon,
} from "lucide-react";

/** The icons of kinds by words of their names, of which the first that fits holds; so that kinds of any ref-schema have one. */
const icons: [RegExp, LucideIcon][] = [
  [/credential|secret|passphrase/i, KeyRound],
  [/passport/i, IdCard],
  [/paramset|override|profile.*param/i, SlidersHorizontal],
  [/variable/i, Variable],
  [/profile/i, Gauge],
  [/configuration/i, FileCog],
  [/changeset/i, GitPullRequestArrow],
  [/repository/i, FolderGit2],
  [/descriptor/i, ListTree],
  [/registry|artifact/i, Archive],
  [/package|source|definition/i, Package],
  [/resolution/i, Target],
  [/layer/i, Layers],
  [/application|compositeapp|^app/i, AppWindow],
  [/postfix|namespace/i, Box],
  [/environment|project/i, Boxes],
  [/cluster|server|device|node|rack/i, Server],
  [/network|site|region/i, Network],
  [/cable|link|interface/i, Cable],
  [/controller|intent/i, Puzzle],
];

/** The icon of a kind, which says nothing that its name beside it does not. */
export function KindIcon({ kind, size = 16 }: { kind: string; size?: number }) {
  const Icon = icons.find(([words]) => words.test(kind))?.[1] ?? FileText;
  return <Icon size={size} strokeWidth={1.75} aria-hidden style={{ flex: "none" }} />;
}
