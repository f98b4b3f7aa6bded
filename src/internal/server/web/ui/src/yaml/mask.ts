import { Document } from "yaml";
import { dots, hasSecrets, maskValue, type Sensitive } from "../model/secrets";
import { readYaml, writeYaml } from "./merge";

/** A text of YAML with dots for its secret values, and then without comments, which may have them too. The names of all members stay. */
export function maskSecrets(text: string, sensitive: Sensitive | undefined): string {
  if (!hasSecrets(sensitive)) return text;
  const document = readYaml(text);
  if (document.errors.length > 0) return `${dots}\n`;
  const data: unknown = document.toJS();
  const masked = maskValue("", data, sensitive);
  return masked === data ? text : writeYaml(new Document(masked));
}
