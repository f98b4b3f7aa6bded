import type { Server } from "./server";

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
