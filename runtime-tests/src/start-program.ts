/** Bundles a program of `programs/` and runs it in its runtime. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawnServer, temporaryDirectory } from "@escapement-internal/test-servers";
import { build } from "esbuild";
import { createMiniflare, findRuntime, type Runtime } from "./tools.ts";

const PROGRAMS = fileURLToPath(new URL("programs/", import.meta.url));

/** A program that runs and serves clients at `url`. */
export interface RunningProgram {
  readonly url: string;
  stop(): Promise<void>;
}

/** What to start a program with. */
export interface ProgramOptions {
  readonly runtime: Runtime;
  /** File name in `programs/`, without its ending. */
  readonly program: string;
  readonly args: readonly string[];
}

const ARGUMENTS: Readonly<Record<Runtime, readonly string[]>> = {
  bun: ["run"],
  deno: ["run", "--allow-all", "--no-config"],
  node24: [],
};

/** Starts a program in Node 24, Bun or Deno. It dies with this process; its time zone is New York. */
export async function startProgram(options: ProgramOptions): Promise<RunningProgram> {
  const command = findRuntime(options.runtime);
  if (command === null) throw new Error(`${options.runtime} is not installed`);
  const directory = temporaryDirectory();
  const file = join(directory.path, `${options.program}.mjs`);
  await bundle(options.program, file);
  let url: string | null = null;
  const server = await spawnServer({
    command,
    args: [...ARGUMENTS[options.runtime], file, ...options.args],
    cwd: directory.path,
    env: { TZ: "America/New_York" },
    ready: (output) => {
      url = /^listening (\S+)$/m.exec(output())?.[1] ?? null;
      return Promise.resolve(url !== null);
    },
  });
  return {
    url: url ?? "",
    async stop() {
      await server.stop();
      directory.remove();
    },
  };
}

/** Starts `programs/worker.ts` in workerd, with an empty D1 database and a Durable Object. */
export async function startWorker(): Promise<RunningProgram> {
  const directory = temporaryDirectory();
  const file = join(directory.path, "worker.mjs");
  await bundle("worker", file);
  const miniflare = createMiniflare({
    host: "127.0.0.1",
    modules: [{ type: "ESModule", path: file }],
    modulesRoot: directory.path,
    compatibilityDate: "2026-04-01",
    d1Databases: ["DB"],
    durableObjects: { STORAGE: { className: "Storage", useSQLite: true } },
  });
  const url = await miniflare.ready;
  return {
    url: url.href,
    async stop() {
      await miniflare.dispose();
      directory.remove();
    },
  };
}

async function bundle(program: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [join(PROGRAMS, `${program}.ts`)],
    outfile,
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    external: ["node:*", "bun", "bun:*", "cloudflare:*"],
    logLevel: "silent",
  });
}
