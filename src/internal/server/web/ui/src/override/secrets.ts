import { isMap, visit, type Document } from "yaml";
import { dots } from "../model/secrets";
import { readYaml, writeYaml } from "../yaml/merge";
import { isSecret, type EffectiveSet } from "./queries";
import { pointerOf, rowsOf, take, type Path } from "./rows";

/** Names of parameters whose values are taken for secrets, also where no file of credentials has them. */
const secretName = /passw(?:or)?d|passphrase|secret|token|private[_-]?key|api[_-]?key|access[_-]?key/i;

/** Says of a parameter whether its value is secret. */
export type SecretOf = (path: Path, text: string) => boolean;

/** What is secret of the parameters of an override: what files of credentials give, and what has the name of a secret. A macro only says where a secret is. */
export function secretsIn(set: EffectiveSet | undefined): SecretOf {
  return (path, text) => text !== dots && !isMacro(text) && ((set !== undefined && isSecret(set, pointerOf(path))) || path.some((name) => secretName.test(String(name))));
}

function isMacro(text: string): boolean {
  return /^[#$]\{[^{}]*\}$/.test(text.trim());
}

/** A text of parameters with dots for its secrets, and then without comments, which may have them, too. */
export function masked(text: string, secretOf: SecretOf): string {
  const document = readYaml(text);
  if (document.errors.length > 0) return `${dots}\n`;
  const secret = rowsOf(document.contents).filter((row) => secretOf(row.path, row.text));
  if (secret.length === 0) return text;
  for (const { path } of secret) document.setIn(path, dots);
  return withoutComments(document);
}

/** A text of parameters without its secrets, for what keeps it, and these by JSON pointer. */
export interface Stripped {
  text: string;
  secrets: Map<string, string>;
}

/** Takes the secrets out of a text of parameters, and then the comments, which may have them, too. Undefined is a text that is no map yet: it may have secrets anywhere. */
export function withoutSecrets(text: string, secretOf: SecretOf): Stripped | undefined {
  const document = readYaml(text);
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  const secret = rowsOf(document.contents).filter((row) => secretOf(row.path, row.text));
  if (secret.length === 0) return { text, secrets: new Map() };
  const rest = secret.reduce((left, { path }) => take(left, path), text);
  return { text: withoutComments(readYaml(rest)), secrets: new Map(secret.map((row) => [row.pointer, row.text])) };
}

/** A text without its comments. */
function withoutComments(document: Document): string {
  document.comment = null;
  document.commentBefore = null;
  visit(document, {
    Node: (_, node) => {
      node.comment = null;
      node.commentBefore = null;
    },
  });
  return writeYaml(document);
}
