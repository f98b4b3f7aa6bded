import ELK from "elkjs/lib/elk-api";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";
import type { Engine } from "./layout";

let engine: Engine | undefined;

/** The engine that lays out pictures beside the page, which stays responsive. It starts when it is first asked for, and stays. */
export function layoutEngine(): Engine {
  engine ??= startEngine();
  return engine;
}

function startEngine(): Engine {
  const worker = new Worker(workerUrl);
  const elk = new ELK({ workerFactory: () => worker });
  const failed = new Promise<never>((_, reject) => {
    worker.addEventListener("error", (event) => {
      engine = undefined; // the next picture tries again
      reject(new Error(event.message || workerUrl));
    });
  });
  failed.catch(() => undefined); // also when nothing is laid out
  return { layout: (graph) => Promise.race([elk.layout(graph), failed]) };
}
