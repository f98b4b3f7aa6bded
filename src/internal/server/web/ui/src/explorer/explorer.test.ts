import { expect, test } from "vitest";
import { filterOf } from "./searches";

test.each([
  { name: "nothing", search: {}, want: {} },
  { name: "only a kind", search: { kind: "app" }, want: { kind: "app" } },
  { name: "a name with the signs of selectors", search: { find: "a,b=c! d\\" }, want: { fieldSelector: "metadata.name=a\\,b\\=c\\!\\ d\\\\" } },
  { name: "an id", search: { by: "id", find: "cluster/c1", kind: "app" }, want: { under: "cluster/c1", kind: "app" } },
  { name: "a value", search: { by: "value", find: "db.example", labels: "a=b" }, want: { contains: "db.example", labelSelector: "a=b" } },
  { name: "labels", search: { by: "labels", find: "a=b" }, want: { labelSelector: "a=b" } },
  { name: "fields", search: { by: "fields", find: "spec.a=b" }, want: { fieldSelector: "spec.a=b" } },
])("what a search means: $name", ({ search, want }) => {
  expect(filterOf(search)).toEqual(want);
});
