import { useQuery } from "@tanstack/react-query";
import { modelQuery } from "../api/queries";
import { inView } from "../api/view";
import { maskSecrets } from "../yaml/mask";
import { useReveal, type Reveal } from "../shell/Secrets";
import type { Version } from "./queries";

/** How the texts of versions are shown. */
export interface Hidden {
  hidden: boolean; // there may be secrets, which are not shown
  hide: (text: string) => string;
  reveal: Reveal;
}

/** Hides the secrets of versions of a document until they are asked for, which is recorded of each that can still be read. Until the kind is known all is hidden. */
export function useHidden(id: string, path: string, versions: (Version | undefined)[]): Hidden {
  const model = useQuery(modelQuery).data;
  const sensitive = model ? model.kindOf(id)?.sensitive : { whole: true };
  const readable = versions.filter((version) => version !== undefined && version.op !== "deleted" && !version.erased);
  const paths = readable.map((version) => (version?.position === undefined ? inView(path) : `${path}?at=${encodeURIComponent(version.position)}`));
  const reveal = useReveal(false, [...new Set(paths)]);
  const hidden = sensitive !== undefined && !reveal.revealed;
  return { hidden, hide: (text) => (hidden ? maskSecrets(text, sensitive) : text), reveal };
}
