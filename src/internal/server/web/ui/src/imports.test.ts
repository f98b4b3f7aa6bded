import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

/** The files that each source imports, also by type and lazily: the linter's rule import/no-cycle does not see lazy imports. */
function importsBelow(folder: string): Map<string, string[]> {
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"));
  const files = new Map(sources.map((name) => [name.replace(/\.tsx?$/, ""), name]));
  return new Map(
    [...files].map(([module, name]) => {
      const text = readFileSync(join(folder, name), "utf8");
      const imported = [...text.matchAll(/(?:\bfrom |\bimport |\bimport\()"(\.{1,2}\/[^"]+)"/g)].map((match) => join(dirname(module), match[1] ?? ""));
      return [module, imported.filter((other) => files.has(other))];
    }),
  );
}

/** The first circle of imports, as a path that ends where it begins; empty without one. */
function findCircle(imports: Map<string, string[]>): string[] {
  const done = new Set<string>();
  const visit = (module: string, path: string[]): string[] => {
    const start = path.indexOf(module);
    if (start !== -1) return [...path.slice(start), module];
    if (done.has(module)) return [];
    done.add(module);
    for (const other of imports.get(module) ?? []) {
      const circle = visit(other, [...path, module]);
      if (circle.length > 0) return circle;
    }
    return [];
  };
  for (const module of imports.keys()) {
    const circle = visit(module, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

test("no source imports itself, not through others and not lazily", () => {
  const imports = importsBelow(import.meta.dirname);
  expect(imports.get("router")).toContain("explorer/ExplorerPage");
  expect(findCircle(imports)).toEqual([]);
});

test("a circle is found", () => {
  const imports = new Map([
    ["a", ["b"]],
    ["b", ["c", "d"]],
    ["c", []],
    ["d", ["b"]],
  ]);
  expect(findCircle(imports)).toEqual(["b", "d", "b"]);
});
