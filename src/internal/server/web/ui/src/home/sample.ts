import { writeBatch } from "../api/documents";
import type { Model } from "../model/kinds";

/** A document of the sample. */
interface Sample {
  kind: string;
  key: Record<string, string>;
  data: object;
}

const place = { cluster: "sample-cluster", environment: "dev" };
const named = (name: string, description: string, spec?: object) => ({ metadata: { name, description, labels: { sample: "true" } }, ...(spec && { spec }) });

/** A small installation: a cluster, an environment with namespaces and an application, and where that comes from. */
export const sample: Sample[] = [
  { kind: "cluster", key: { cluster: place.cluster }, data: named("sample-cluster", "A cluster to look around in") },
  { kind: "environment", key: place, data: named("dev", "Where the shop is developed") },
  ...["shop", "billing", "monitoring"].map((name) => ({ kind: "deployPostfix", key: { ...place, deployPostfix: name }, data: named(name, `The namespace of ${name}`, { namespace: `dev-${name}` }) })),
  { kind: "application", key: { ...place, deployPostfix: "shop", application: "web-shop" }, data: named("web-shop", "What customers see") },
  { kind: "credential", key: { credential: "sample-reader" }, data: named("sample-reader", "Reads the registry", { type: "usernamePassword", data: { username: "reader" } }) },
  { kind: "registryDefinition", key: { registryDefinition: "sample-registry" }, data: named("sample-registry", "Where images are", { credentialsId: "sample-reader" }) },
  { kind: "appDefinition", key: { appDefinition: "web-shop" }, data: named("web-shop", "What the shop is made of", { registryName: "sample-registry", groupId: "org.example", artifactId: "web-shop" }) },
];

/** The document that the sample is looked at from, whose right is asked for. */
export const sampleId = "cluster/sample-cluster";

/** Whether the ref-schema has the kinds of the sample. */
export function fitsSample(model: Model): boolean {
  return sample.every(({ kind, key }) => model.kind(kind)?.key.join() === Object.keys(key).join());
}

/** Creates the sample in one transaction. */
export async function applySample(message: string): Promise<void> {
  await writeBatch(sample.map((document) => ({ op: "create" as const, ...document })), { message });
}
