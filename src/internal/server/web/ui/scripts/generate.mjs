// Writes the types of the API from a server's description of it: generate.mjs openapi.json openapi.d.ts
// The routes and data of kinds are left out: the page learns them from /v2/schema, whatever ref-schema the server has.
import { readFileSync, writeFileSync } from "node:fs";
import { argv } from "node:process";
import openapiTS, { astToString } from "openapi-typescript";

const description = JSON.parse(readFileSync(argv[2], "utf8"));
for (const [path, item] of Object.entries(description.paths)) {
  const ofKind = Object.values(item).some((operation) => operation.tags);
  if (path.startsWith("/v2/") && ofKind) delete description.paths[path];
}
for (const name of Object.keys(description.components.schemas)) {
  if (name.startsWith("data-")) delete description.components.schemas[name];
}
const kept = JSON.stringify(description.paths);
for (const name of Object.keys(description.components.parameters)) {
  if (!kept.includes(`"#/components/parameters/${name}"`)) delete description.components.parameters[name];
}
description.info.version = "";

const header = "// Made by scripts/web from the server's /openapi.json. Do not edit.\n";
writeFileSync(argv[3], header + astToString(await openapiTS(description)));
