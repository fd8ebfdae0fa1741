/** Starts worker processes from a bundle, which takes a tenth of the time that compiling in each would. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Job } from "./job.ts";

export interface WorkerBundle {
  readonly path: string;
  remove(): void;
}

/** Bundles the worker beside the packages that it imports when it runs: drivers. */
export async function bundleWorker(): Promise<WorkerBundle> {
  const path = fileURLToPath(
    new URL(`../../node_modules/.cache/worker-${process.pid}.mjs`, import.meta.url),
  );
  await build({
    entryPoints: [fileURLToPath(new URL("main.ts", import.meta.url))],
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
  job: Job,
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
