import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse, TYPE, type MessageFormatElement } from "@formatjs/icu-messageformat-parser";
import { createTranslator } from "use-intl/core";
import { expect, test } from "vitest";
import { en } from "./en";
import { ru } from "./ru";

const sources = join(import.meta.dirname, "..");
const english = createTranslator({ locale: "en", messages: en });
const russian = createTranslator({ locale: "ru", messages: ru as typeof en });

/** All code of the page but the texts themselves and tests. */
function code(folder: string): string {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.ts$|^(texts|common)\.(en|ru)\.ts$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

/** The texts of a language by their full names, such as "form.addItem". */
function messages(catalog: Record<string, Record<string, string>>): [string, string][] {
  return Object.entries(catalog).flatMap(([feature, texts]) => Object.entries(texts).map(([name, text]): [string, string] => [`${feature}.${name}`, text]));
}

/** All parts of a message, also those within its plural forms. */
function parts(elements: MessageFormatElement[]): MessageFormatElement[] {
  return elements.flatMap((element) => [element, ...("options" in element ? Object.values(element.options).flatMap(({ value }) => parts(value)) : [])]);
}

/** The arguments of a message, sorted. */
function argumentsOf(text: string): string[] {
  const named = parts(parse(text)).flatMap((element) => (element.type === TYPE.literal || element.type === TYPE.pound || element.type === TYPE.tag ? [] : [element.value]));
  return [...new Set(named)].sort();
}

/** Whether a plural has all forms of its language, or none but those of exact numbers. */
function isComplete(element: MessageFormatElement, language: string): boolean {
  if (element.type !== TYPE.plural) return true;
  const forms = Object.keys(element.options).filter((form) => !form.startsWith("="));
  const wanted = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  return forms.length === 1 || wanted.every((form) => forms.includes(form));
}

test("every text is used", () => {
  const all = code(sources);
  expect(messages(en).filter(([name]) => !all.includes(`"${name}"`))).toEqual([]);
});

test("both languages have the same texts with the same arguments, none of them empty", () => {
  const shape = (catalog: typeof en | typeof ru) => messages(catalog).map(([name, text]) => [name, argumentsOf(text), text === ""]).sort();
  expect(shape(ru)).toEqual(shape(en));
  expect(messages(en).filter(([, text]) => text === "")).toEqual([]);
});

test.each([
  { language: "en", catalog: en },
  { language: "ru", catalog: ru },
])("plurals have all forms: $language", ({ language, catalog }) => {
  expect(messages(catalog).filter(([, text]) => !parts(parse(text)).every((element) => isComplete(element, language)))).toEqual([]);
});

test("a plural without a form that its language has is found", () => {
  const [text] = parse("{n, plural, one {# слово} other {# слов}}");
  expect(text && [isComplete(text, "ru"), isComplete(text, "en")]).toEqual([false, true]);
});

test.each([
  { n: 1, en: "1 finding", ru: "1 замечание" },
  { n: 2, en: "2 findings", ru: "2 замечания" },
  { n: 5, en: "5 findings", ru: "5 замечаний" },
  { n: 21, en: "21 findings", ru: "21 замечание" },
])("numbers of $n", ({ n, ...want }) => {
  expect({ en: english("common.findings", { n }), ru: russian("common.findings", { n }) }).toEqual(want);
});

test("names and arguments of texts are checked by their types", () => {
  const wrong: (() => string)[] = [
    // @ts-expect-error a text that does not exist
    () => english("common.finding", { n: 1 }),
    // @ts-expect-error an argument that is missing
    () => english("common.findings"),
    // @ts-expect-error an argument of another name
    () => english("common.findings", { m: 1 }),
    // @ts-expect-error a text where a number belongs
    () => english("common.findings", { n: "1" }),
  ];
  expect(wrong).toHaveLength(4);
});

test("braces in texts are written as they are", () => {
  expect(english("override.valueHint")).toContain("{a: 1} is a map");
});
