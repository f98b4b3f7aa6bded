import { Document } from "yaml";
import { readYaml, writeYaml } from "../yaml/merge";
import { fromPointer, isObject } from "./paths";

/** Which of the data of a kind is secret: all of it, or the values at JSON Pointers. */
export interface Sensitive {
  whole?: boolean;
  paths?: string[];
}

/** What stands for a secret value. It says nothing about its length. */
export const dots = "••••••••";

/** A text of YAML with dots for its secret values, and then without comments, which may have them too. The names of all members stay. */
export function maskSecrets(text: string, sensitive: Sensitive | undefined): string {
  const paths = pathsOf(sensitive);
  if (paths.length === 0) return text;
  const document = readYaml(text);
  if (document.errors.length > 0) return `${dots}\n`;
  const data: unknown = document.toJS();
  const masked = paths.reduce((all, path) => maskAt(all, fromPointer(path)), data);
  return masked === data ? text : writeYaml(new Document(masked));
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
