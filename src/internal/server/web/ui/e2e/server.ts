import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the sources are. */
export const repository = fileURLToPath(new URL("../../../../../..", import.meta.url));

/** The real server on a store of its own, which goes with it. */
export interface Server {
  url: string;
  /** Sends a request with a JSON body and returns the answer; an answer that is no success is an error. */
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<unknown>;
  /** Runs the program against the server and returns what it prints; exit code 1, which says that something was reported, is no error. */
  run: (...args: string[]) => string;
  /** Ends the process, as a failure would; resume starts another at the same address, on the same store, perhaps with more flags. */
  kill: () => Promise<void>;
  resume: (...more: string[]) => Promise<void>;
  stop: () => Promise<void>;
}

/** The program: DOVETAIL_BIN, or what is built from the sources. */
export function program(folder: string): string {
  const given = process.env.DOVETAIL_BIN;
  if (given) return given;
  const built = join(folder, "dovetail");
  execFileSync("go", ["build", "-o", built, "./src/cmd/dovetail"], { cwd: repository, stdio: "inherit" });
  return built;
}

/** Starts a server on a free port, with more flags if need be, and waits until it is ready. */
export async function startServer(...flags: string[]): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "dovetail-e2e-"));
  const binary = program(folder);
  const begin = (address: string, more: string[] = []) =>
    spawn(binary, ["serve", "--listen", address, "--log-level", "warn", "--request-timeout", "5m", "--queue-wait", "5m", "--store", `bolt:${join(folder, "dovetail.db")}`, ...flags, ...more], {
      stdio: ["ignore", "pipe", "inherit"],
    });
  let child = begin("127.0.0.1:0");
  const end = async (signal: NodeJS.Signals) => {
    const ended = new Promise((resolve) => {
      child.once("exit", resolve);
    });
    child.kill(signal);
    await ended;
  };
  const url = await addressOf(child);
  return {
    url,
    call: async (method, path, body, headers = {}) => {
      const request: RequestInit = { method, headers: { "Content-Type": "application/json", ...headers } };
      if (body !== undefined) request.body = JSON.stringify(body);
      const response = await fetch(url + path, request);
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === "" ? undefined : (JSON.parse(text) as unknown);
    },
    run: (...args) => {
      const { status, stdout, stderr } = spawnSync(binary, [...args, "--server", url], { encoding: "utf8" });
      if (status !== 0 && status !== 1) throw new Error(`dovetail ${args.join(" ")}: ${status} ${stderr}`);
      return stdout;
    },
    kill: () => end("SIGKILL"),
    resume: async (...more) => {
      child = begin(new URL(url).host, more);
      await addressOf(child);
    },
    stop: async () => {
      await end("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The address that the server greets with. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (part: Buffer) => {
      text += part.toString();
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
      if (url) resolve(url);
    });
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
}
