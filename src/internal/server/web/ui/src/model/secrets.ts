import { fromPointer, isObject } from "./paths";

/** Which of the data of a kind is secret: all of it, or the values at JSON Pointers. */
export interface Sensitive {
  whole?: boolean;
  paths?: string[];
}

/** What stands for a secret value. It says nothing about its length. */
export const dots = "••••••••";

/** Whether a kind has secrets. */
export function hasSecrets(sensitive: Sensitive | undefined): boolean {
  return pathsOf(sensitive).length > 0;
}

/** The value at a JSON Pointer with dots for what is secret of it; undefined is absent. */
export function maskValue(path: string, value: unknown, sensitive: Sensitive | undefined): unknown {
  if (value === undefined) return undefined;
  const at = fromPointer(path);
  return pathsOf(sensitive).map(fromPointer).reduce<unknown>((all, secret) => {
    const both = Math.min(secret.length, at.length);
    return secret.slice(0, both).every((step, i) => step === at[i]) ? maskAt(all, secret.slice(both)) : all;
  }, value);
}

/** The JSON Pointers to the secrets of a kind. */
function pathsOf(sensitive: Sensitive | undefined): string[] {
  return sensitive?.whole ? ["/spec"] : (sensitive?.paths ?? []);
}

/** The data with what is at a path masked; the same data where nothing is there. */
function maskAt(data: unknown, [step, ...rest]: string[]): unknown {
  if (step === undefined) return mask(data);
  if (!isObject(data) || !Object.hasOwn(data, step)) return data;
  const inner = maskAt(data[step], rest);
  return inner === data[step] ? data : { ...data, [step]: inner };
}

function mask(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(mask);
  if (isObject(data)) return Object.fromEntries(Object.entries(data).map(([name, member]) => [name, mask(member)]));
  return dots;
}
