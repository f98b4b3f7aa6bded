import { problemOf, type Problem } from "../api/problem";

/** A file of a folder. */
export interface FolderFile {
  name: string; // with the folders below the one that was chosen
  text: string;
}

/** Files as the one text of YAML documents that the server applies in one transaction. */
export interface Joined {
  text: string;
  files: { name: string; line: number }[]; // with the line of the text at which each begins, from 1
}

/** Something that is wrong, with where it is in the files. */
export interface Fault {
  place: string; // file:line:column
  message: string;
  remedy?: string;
}

/** Whether a file is one of those that `dovetail apply -f FOLDER` reads: YAML or JSON, and not hidden. */
export function isManifest(name: string): boolean {
  return /(^|\/)[^./][^/]*\.(yaml|yml|json)$/.test(name);
}

/** Joins files, of which each begins a document of its own; JSON is YAML, too. */
export function joinFiles(files: FolderFile[]): Joined {
  const parts: string[] = [];
  const starts: Joined["files"] = [];
  let line = 1;
  for (const { name, text } of files) {
    starts.push({ name, line: line + 1 });
    const part = `---\n${text}${text.endsWith("\n") ? "" : "\n"}`;
    parts.push(part);
    line += part.split("\n").length - 1;
  }
  return { text: parts.join(""), files: starts };
}

/** What is wrong with files, by the places in them. It is empty where the server names no place. */
export function faultsOf({ files }: Joined, error: unknown): Fault[] {
  return (problemOf(error).errors ?? []).flatMap((part: NonNullable<Problem["errors"]>[number]) => {
    const { line, column, message, remedy } = part;
    const file = line === undefined ? undefined : files.findLast((one) => one.line <= line);
    return file && line !== undefined ? [{ place: [file.name, line - file.line + 1, column].filter((at) => at !== undefined).join(":"), message, remedy }] : [];
  });
}
