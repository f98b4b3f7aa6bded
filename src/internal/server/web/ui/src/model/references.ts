/** A rule by which a kind refers to others. */
export interface Reference {
  to: string[];
  sentence: string;
  at?: string; // the path of its slot
  map?: Record<string, string>; // by element of the key, the member that holds it
  fixed?: Record<string, string>; // by element of the key, its fixed value
  common?: string[]; // elements of the key that are always those of the document
  except?: string[]; // values that are no reference
  required?: boolean;
  min?: number;
  max?: number;
  exclusive?: boolean;
  weak?: boolean;
}

/** How many references there must be. */
export function leastOf({ required, min = 0 }: Reference): number {
  return required ? Math.max(1, min) : min;
}
