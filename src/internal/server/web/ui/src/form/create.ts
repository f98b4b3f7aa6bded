import { createContext } from "react";
import type { Kind, Model } from "../model/kinds";

/** A document that is to be referred to and is not there yet. */
export interface Creation {
  kind: Kind;
  under: string;
  name: string;
  onCreated: (id: string) => void;
}

/** Opens the form for a document in place, where the page has a way to. */
export const CreateInPlace = createContext<((creation: Creation) => void) | undefined>(undefined);

/** Whether a document of a kind can be right below another one, or at the top with "". */
export function belongsBelow(model: Model, kind: Kind, under: string): boolean {
  if (kind.managed || kind.abstract) return false;
  return model.childKinds(under === "" ? undefined : model.kindOf(under)).includes(kind) && (under === "" || model.kindOf(under) !== undefined);
}
