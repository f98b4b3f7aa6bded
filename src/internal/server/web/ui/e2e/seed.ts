import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { program, repository, type Server } from "./server";

const named = (name: string, more: object = {}) => ({ metadata: { name, ...more } });

/** A small installation: two clusters, an environment with namespaces, a registry that others need. */
export async function seed({ call }: Server): Promise<void> {
  await call("POST", "/v2/clusters", { metadata: { name: "cluster-01", description: "The first cluster", labels: { tier: "prod" } } });
  await call("POST", "/v2/clusters", named("cluster-02"));
  await call("POST", "/v2/clusters/cluster-01/environments", { metadata: { name: "env-01", description: "Where it all runs" }, spec: { big: 1 } });
  for (const name of ["core", "billing", "monitoring"]) {
    await call("POST", "/v2/clusters/cluster-01/environments/env-01/namespaces", { ...named(name), spec: { namespace: `env-01-${name}` } });
  }
  await call("POST", "/v2/clusters/cluster-01/environments/env-01/namespaces/core/applications", named("postgres"));
  await call("POST", "/v2/credentials", { ...named("reader"), spec: { type: "usernamePassword", data: { username: "reader" } } });
  await call("POST", "/v2/registry-definitions", { ...named("sample-registry"), spec: { credentialsId: "reader" } });
  await call("POST", "/v2/app-definitions", { ...named("postgres"), spec: { registryName: "sample-registry", groupId: "org.example", artifactId: "postgres" } });
}

/** A full solution descriptor for the environment, in three chunks. */
export const fullDescriptor = {
  version: 2.1,
  type: "solutionDeploy",
  deployMode: "composite",
  applications: [
    { version: "postgres:1.32.6", deployPostfix: "core", alias: "postgres" },
    { version: "kafka:3.1.0", deployPostfix: "core", alias: "kafka" },
    { version: "billing-api:2.4.1", deployPostfix: "billing", alias: "billing-api" },
    { version: "grafana:11.0.0", deployPostfix: "monitoring", alias: "grafana" },
  ],
  deployGraph: [
    { chunkName: "infrastructure", apps: ["postgres", "kafka"] },
    { chunkName: "applications", apps: ["billing-api"] },
    { chunkName: "observability", apps: ["grafana"] },
  ],
};

/** A delta for it: a new version, and an application that is new. */
export const deltaText = `version: 2.1
type: solutionDeploy
deployMode: composite
applications:
- version: postgres:1.33.0
  deployPostfix: core
  alias: postgres
- version: billing-ui:1.0.0
  deployPostfix: billing
  alias: billing-ui
deployGraph:
- chunkName: infrastructure
  apps:
  - postgres
- chunkName: applications
  apps:
  - billing-ui
`;

/** Stores the full descriptor. */
export async function seedDescriptor({ call }: Server): Promise<void> {
  await call("POST", "/api/sd/process?environmentId=cluster-01/env-01", { SD_DATA: fullDescriptor });
}

/** Imports the sample instance repository, defects and all. */
export function seedSample({ run }: Server): void {
  run("import", "instance-repo", `${repository}/src/internal/git/instancerepo/testdata/sample`);
}

const sources = {
  packages: [
    { name: "ui", versions: ["1.0.0", "1.1.0"].map((version) => ({ version, channels: ["main"], dependencies: [{ name: "api", versionRange: "^2" }] })) },
    {
      name: "api",
      versions: [...["2.0.0", "2.1.0"].map((version) => ({ version, channels: ["main"], dependencies: [{ name: "db", versionRange: ">=13" }] })), { version: "3.0.0", channels: ["main"] }],
    },
    { name: "db", versions: ["12.0.0", "13.0.0"].map((version) => ({ version, channels: ["main"] })) },
    { name: "log", versions: [{ version: "1.0.0", channels: ["main"] }] },
  ],
};

/** A source, and two resolutions of it: `fine` has a solution, `clash` has none. */
export async function seedResolutions({ call }: Server): Promise<void> {
  await call("PUT", "/api/sources/cat", sources);
  const resolve = (name: string, constraints: unknown[]) => call("POST", "/v2/active-resolutions?wait=20s", { metadata: { name }, spec: { sources: ["cat"], constraints } });
  await resolve("clash", ['required("log")', 'required("ui")', 'pinned("log", "1.0.0")', 'prohibited("db", ">=13")', 'required("db")']);
  await resolve("fine", ['required("log")', 'required("ui")', { prohibited: { name: "ui", versionRange: ">=1.1.0" } }]);
}

const policy = `schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: layering-policy}
data: {layerOrder: [global, region, site]}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: base
  labels: {of: network}
  layeringDefinition: {abstract: true, layer: global}
data: {mtu: 1500, dns: 10.0.0.2, tags: {a: 1}}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: north
  labels: {zone: north}
  layeringDefinition: {abstract: true, layer: region, parentSelector: {of: network}, actions: [{method: merge, path: .}]}
data: {dns: 10.1.0.2}
`;

const site = (mtu: number) => `schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: network
  layeringDefinition: {layer: site, parentSelector: {zone: north}, actions: [{method: merge, path: .}]}
  substitutions:
    - src: {schema: deckhand/Passphrase/v1, name: db-password, path: .}
      dest: {path: .password}
data: {mtu: ${mtu}}
---
schema: deckhand/Passphrase/v1
metadata: {schema: metadata/Document/v1, name: db-password, layeringDefinition: {layer: site}}
data: swordfish
`;

/** Puts documents into a bucket of layered documents. */
export async function putBucket({ url }: Server, bucket: string, documents: string): Promise<void> {
  const response = await fetch(`${url}/api/v1.0/buckets/${bucket}/documents`, { method: "PUT", headers: { "Content-Type": "application/x-yaml" }, body: documents });
  if (!response.ok) throw new Error(await response.text());
}

/** Three revisions of layered documents in two buckets. */
export async function seedLayering(server: Server): Promise<void> {
  await putBucket(server, "global", policy);
  await putBucket(server, "site", site(9000));
  await putBucket(server, "site", site(8000));
}

/** The header that says why something is written. */
const because = (message: string) => ({ "Dovetail-Message": Buffer.from(message).toString("latin1") });

/** A cluster that was changed several times, with messages, and a transaction of two documents. */
export async function seedHistory({ call }: Server): Promise<void> {
  await call("POST", "/v2/clusters", { metadata: { name: "shop" }, spec: { replicas: 1, memory: "1Gi" } }, because("the shop opens"));
  await call("PUT", "/v2/clusters/shop", { metadata: { name: "shop" }, spec: { replicas: 2, memory: "1Gi" } }, because("two replicas"));
  await call("PUT", "/v2/clusters/shop", { metadata: { name: "shop", labels: { tier: "prod" } }, spec: { replicas: 3, memory: "1Gi" } });
  await call("PUT", "/v2/clusters/shop", { metadata: { name: "shop", labels: { tier: "prod" } }, spec: { replicas: 3, memory: "4Gi" } }, because("more memory"));
  const environments = ["dev", "test"].map((name) => ({ kind: "environment", key: { cluster: "shop", environment: name }, data: { metadata: { name } } }));
  await call("POST", "/v2/batch", environments, because("two environments"));
}

/** A change set of two clusters, one of which was changed since, with reviews. */
export async function seedChangeSet({ call }: Server): Promise<void> {
  for (const name of ["bank", "mill"]) await call("POST", "/v2/clusters", { ...named(name), spec: { replicas: 2, memory: "1Gi" } });
  await call("POST", "/api/change-sets", { name: "more-memory", title: "More memory for the sale", description: "Both clusters need it by Friday." });
  await call("PUT", "/v2/clusters/bank?changeSet=more-memory", { ...named("bank"), spec: { replicas: 2, memory: "4Gi" } });
  await call("PUT", "/v2/clusters/mill?changeSet=more-memory", { ...named("mill"), spec: { replicas: 3, memory: "4Gi" } });
  await call("PUT", "/v2/clusters/bank", { ...named("bank"), spec: { replicas: 2, memory: "2Gi" } });
  await call("POST", "/api/change-sets/more-memory/reviews", { decision: "comment", comment: "Is 4Gi enough?" });
  await call("POST", "/api/change-sets/more-memory/reviews", { decision: "approve", comment: "It is." });
}

/** A catalog as it was published, with 180 packages of 3,773 versions. */
export async function seedCatalog({ call }: Server): Promise<void> {
  const text = gunzipSync(readFileSync(`${repository}/src/resolution/catalog/testdata/real/community-a.json.gz`)).toString();
  await call("PUT", "/api/sources/community/catalog", { files: [{ name: "community-a.json", text }] });
}

/** Flags of a server that keeps secrets, with a key of its own in a folder. */
export function withKey(folder: string): string[] {
  const file = join(folder, "key");
  writeFileSync(file, execFileSync(program(folder), ["secrets", "keygen"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }), { mode: 0o600 });
  return ["--encryption-key-file", file];
}

/** Two revisions of a whole site of 427 documents, of which 70 are secret. */
export async function seedSite(server: Server): Promise<void> {
  const documents = readFileSync(`${repository}/src/layering/rendering/testdata/deckhand/real-sites/airsloop/documents.yaml`, "utf8");
  await putBucket(server, "airsloop", documents);
  await putBucket(server, "airsloop", documents.replaceAll("docker.io", "registry.example.org"));
}
