/** Bundles a program of `programs/` and runs it in its runtime. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  clockEnvironment,
  madeOnce,
  spawnServer,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import { build } from "esbuild";
import { createMiniflare, findRuntime, type Runtime } from "./tools.ts";

const PROGRAMS = fileURLToPath(new URL("programs/", import.meta.url));

/** A program that runs and serves clients at `url`. */
export interface RunningProgram {
  readonly url: string;
  /** Sends the signal (default SIGKILL) and waits until the program has gone. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** One that is a process. */
export interface RunningProcess extends RunningProgram {
  /** What it has printed so far. */
  output(): string;
}

/** What to start a program with. */
export interface ProgramOptions {
  readonly runtime: Runtime;
  /** File name in `programs/`, without its ending. */
  readonly program: string;
  readonly args: readonly string[];
  /** What the program's clock says when it starts, for instance `2026-01-01 10:00:57`. @default the time that it is */
  readonly startAt?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What a runtime is called with, before the program. */
export const ARGUMENTS: Readonly<Record<Runtime, readonly string[]>> = {
  bun: ["run"],
  deno: ["run", "--allow-all", "--no-config", "--unstable-cron", "--unstable-kv"],
  node24: [],
};

/** Starts a program in Node 24, Bun or Deno. It dies with this process; its time zone is New York. */
export async function startProgram(options: ProgramOptions): Promise<RunningProcess> {
  const command = findRuntime(options.runtime);
  if (command === null) throw new Error(`${options.runtime} is not installed`);
  const file = await bundleOnce(options.program);
  const directory = temporaryDirectory();
  let url: string | null = null;
  let readOutput = (): string => "";
  const args = [...ARGUMENTS[options.runtime], file, ...options.args];
  const { startAt, env } = options;
  const server = await spawnServer({
    command,
    args,
    cwd: directory.path,
    env: { TZ: "America/New_York", ...env, ...clockFrom(startAt) },
    ready: (output) => {
      readOutput = output;
      url = /^listening (\S+)$/m.exec(output())?.[1] ?? null;
      return Promise.resolve(url !== null);
    },
  });
  return {
    url: url ?? "",
    output: () => readOutput(),
    async stop(signal) {
      await server.stop(signal);
      directory.remove();
    },
  };
}

function clockFrom(startAt: string | undefined): Readonly<Record<string, string>> {
  if (startAt === undefined) return {};
  const clock = clockEnvironment(`@${startAt}`);
  if (clock === null) throw new Error("faketime is not installed");
  return clock;
}

/** Starts `programs/worker.ts` in workerd, with an empty D1 database and a Durable Object. */
export async function startWorker(): Promise<RunningProgram> {
  const file = await bundleOnce("worker");
  const miniflare = createMiniflare({
    host: "127.0.0.1",
    modules: [{ type: "ESModule", path: file }],
    modulesRoot: dirname(file),
    compatibilityDate: "2026-04-01",
    d1Databases: ["DB"],
    durableObjects: { STORAGE: { className: "Storage", useSQLite: true } },
  });
  const url = await miniflare.ready;
  return {
    url: url.href,
    stop: () => miniflare.dispose(),
  };
}

/** A program of `programs/` in one file, bundled once for all test files of a run. @returns the file */
export async function bundleOnce(program: string): Promise<string> {
  const name = `${program}.mjs`;
  const folder = await madeOnce(`program-${program}`, (made) => bundle(program, join(made, name)));
  return join(folder, name);
}

/** Bundles a program of `programs/` into one file, as a deployment would. */
export async function bundle(program: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [join(PROGRAMS, `${program}.ts`)],
    outfile,
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    // Vitest is beside the harness in the engine's kit, and no program uses it.
    external: ["node:*", "bun", "bun:*", "cloudflare:*", "vitest"],
    logLevel: "silent",
  });
}
