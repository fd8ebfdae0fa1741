/** Starts worker processes from a bundle, which takes a tenth of the time that compiling in each would. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { OrdersJob } from "../fragno/orders-job.ts";
import type { Job } from "./job.ts";

export interface WorkerBundle {
  readonly path: string;
  remove(): void;
}

/** Fragno's CommonJS dependencies ask for modules of Node by `require`. */
const REQUIRE = `import { createRequire as createBundleRequire } from "node:module";
const require = createBundleRequire(import.meta.url);`;

/** Bundles a worker's program beside the packages that it imports when it runs: drivers. @default that of the engine */
export async function bundleWorker(
  program: URL = new URL("main.ts", import.meta.url),
): Promise<WorkerBundle> {
  const entry = fileURLToPath(program);
  const name = `${basename(entry, ".ts")}-${process.pid}.mjs`;
  const path = fileURLToPath(new URL(`../../node_modules/.cache/${name}`, import.meta.url));
  await build({
    entryPoints: [entry],
    banner: { js: REQUIRE },
    outfile: path,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["pg", "libsql", "@libsql/client"],
    logLevel: "error",
  });
  return { path, remove: () => rmSync(path, { force: true }) };
}

export interface WorkerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it printed to its standard error. */
  readonly errors: string;
}

export interface Worker {
  readonly pid: number;
  readonly exited: Promise<WorkerExit>;
  kill(signal: NodeJS.Signals): void;
}

/** @param env added to this process's own */
export function spawnWorker(
  bundle: WorkerBundle,
  job: Job | OrdersJob,
  env: Readonly<Record<string, string>> = {},
): Worker {
  const child = spawn(process.execPath, [bundle.path, JSON.stringify(job)], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...env },
  });
  return {
    pid: child.pid ?? 0,
    exited: toExit(child),
    kill: (signal) => void child.kill(signal),
  };
}

async function toExit(child: ChildProcess): Promise<WorkerExit> {
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    errors += chunk.toString("utf8");
  });
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, errors };
}
