/** A rule by which a kind refers to others. */
export interface Reference {
  to: string[];
  sentence: string;
  at?: string; // the path of its slot
  map?: Record<string, string>; // by element of the key, the member that holds it
  required?: boolean;
  min?: number;
  max?: number;
  exclusive?: boolean;
}
