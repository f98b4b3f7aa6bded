import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { en } from "./en";
import { ru } from "./ru";

const sources = join(import.meta.dirname, "..");

/** All code of the page but the texts themselves. */
function code(folder: string): string {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.endsWith("i18n"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

test("every text is used", () => {
  const all = code(sources);
  const unused = Object.keys(en).filter((name) => !new RegExp(`\\bt\\.${name}\\b`).test(all));
  expect(unused).toEqual([]);
});

test("both languages have the same texts, none of them empty", () => {
  expect(Object.keys(ru).sort()).toEqual(Object.keys(en).sort());
  for (const texts of [en, ru]) expect(Object.entries(texts).filter(([, text]) => text === "")).toEqual([]);
});

test.each([
  { n: 1, en: "1 finding", ru: "1 замечание" },
  { n: 2, en: "2 findings", ru: "2 замечания" },
  { n: 5, en: "5 findings", ru: "5 замечаний" },
  { n: 21, en: "21 findings", ru: "21 замечание" },
])("numbers of $n", ({ n, ...want }) => {
  expect({ en: en.findings(n), ru: ru.findings(n) }).toEqual(want);
});
