/** From the start of a process to the moment at which its application is ready. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { findRuntime } from "../../../runtime-tests/src/tools.ts";
import { type PlatformRow, exampleEnv } from "./platform-rows.ts";

export interface Start {
  readonly wallMs: number;
  /** Of all its threads; other work on the machine weighs less on it. */
  readonly cpuMs: number;
}

export interface StartOptions {
  readonly row: PlatformRow;
  /** The bundle. */
  readonly path: string;
  /** For its database. */
  readonly directory: string;
}

/** Why it cannot be started here; null: it can. */
export const missingFor = ({ runtime }: PlatformRow): string | null =>
  runtime !== "node" && findRuntime(runtime) === null ? `${runtime} is not installed` : null;

/** @throws {TypeError} with its output when it ends before it is ready */
export async function measureStart({ row, path, directory }: StartOptions): Promise<Start> {
  const { command, args } = commandOf(row, path);
  const fileUrl = pathToFileURL(`${directory}/node.db`).href;
  // Only Node's example keeps a file; the others' server is asked for nothing yet.
  const DATABASE_URL = row.entry.startsWith("node/") ? fileUrl : "http://127.0.0.1:1";
  const env = { ...process.env, ...exampleEnv(directory), DATABASE_URL };
  const startedAt = performance.now();
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  let output = "";
  const ready = new Promise<Start>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString("utf8");
      if (/listening/i.test(output))
        resolve({ wallMs: performance.now() - startedAt, cpuMs: readCpuMs(child.pid ?? 0) });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", reject);
    child.once("exit", () => reject(new TypeError(`${path} ended:\n${output}`)));
  });
  try {
    return await ready;
  } finally {
    child.kill("SIGKILL");
    await exited;
  }
}

function commandOf(
  { runtime, isServer }: PlatformRow,
  path: string,
): { readonly command: string; readonly args: readonly string[] } {
  if (runtime !== "node") {
    const flags = runtime === "deno" ? ["--allow-all", "--no-config", "--unstable-cron"] : [];
    return { command: findRuntime(runtime) ?? runtime, args: ["run", ...flags, path] };
  }
  if (isServer) return { command: process.execPath, args: [path] };
  // A script that is imported by another one costs a millisecond, on both sides.
  const program = `await import(${JSON.stringify(pathToFileURL(path).href)}); console.log("listening"); setInterval(() => {}, 1000);`;
  return { command: process.execPath, args: ["--input-type=module", "-e", program] };
}

/** Nanoseconds on a processor stand first in Linux's schedstat of each thread; NaN elsewhere. */
function readCpuMs(pid: number): number {
  try {
    const tasks = `/proc/${pid}/task`;
    const times = readdirSync(tasks).map((task) =>
      Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]),
    );
    return times.reduce((sum, time) => sum + time, 0) / 1e6;
  } catch {
    return Number.NaN;
  }
}
