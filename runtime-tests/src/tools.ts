/** The runtimes that this package installs, where it has been installed. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const MODULES = fileURLToPath(new URL("../tools/node_modules/", import.meta.url));

/** Binaries by runtime. Not the launchers: a launcher that is killed leaves its runtime running. */
const BINARIES = {
  bun: ["bun/bin/bun.exe"],
  deno: ["deno/deno", "deno/bin/deno"],
  node24: ["node/bin/node"],
} as const;

/** A runtime with a binary of its own. */
export type Runtime = keyof typeof BINARIES;

/** Absolute path of a runtime's binary; null when it is not installed. */
export function findRuntime(runtime: Runtime): string | null {
  return BINARIES[runtime].map((path) => `${MODULES}${path}`).find(existsSync) ?? null;
}

/** Environment in which a shell finds the runtimes by their names, by their launchers. */
export const RUNTIME_PATH: Readonly<Record<string, string>> = {
  PATH: `${MODULES}.bin:${process.env["PATH"] ?? ""}`,
};

/** Why a test that needs the runtime is skipped; null when it is there. */
export function missingRuntime(runtime: Runtime): string | null {
  return findRuntime(runtime) === null ? `${runtime} is not installed: ${HOW}` : null;
}

/** Why a test that needs another clock is skipped; null when it can have one. */
export function missingFaketime(): string | null {
  const folders = (process.env["PATH"] ?? "").split(":");
  const isThere = folders.some((folder) => existsSync(`${folder}/faketime`));
  return isThere ? null : "faketime is not installed: Debian package faketime";
}

/** Why a test that needs workerd is skipped; null when it is there. */
export function missingWorkerd(): string | null {
  return existsSync(`${MODULES}miniflare`) ? null : `miniflare is not installed: ${HOW}`;
}

/** The part of Miniflare, workerd's local host, that we use. */
export interface Miniflare {
  readonly ready: Promise<URL>;
  /** To dispatch events that are no requests. */
  getWorker(): Promise<{
    scheduled(options: { readonly cron: string }): Promise<{ readonly outcome: string }>;
  }>;
  dispose(): Promise<void>;
}

/** Starts workerd with a Worker; `options` are Miniflare's. */
export function createMiniflare(options: object): Miniflare {
  const installed = createRequire(MODULES)("miniflare") as {
    readonly Miniflare: new (options: object) => Miniflare;
  };
  return new installed.Miniflare(options);
}

const HOW = "npx pnpm@10 install --dir runtime-tests/tools";
