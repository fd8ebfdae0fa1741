/** Workers in workerd: started, stopped as if the machine went away, and started again on what they stored. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { madeOnce, temporaryDirectory } from "@escapement-internal/test-servers";
import { build } from "esbuild";
import { createMiniflare } from "./tools.ts";
import type { WorkerAppSettings } from "./worker-app-settings.ts";

export interface WorkerApp {
  readonly url: string;
  /** Runs the Worker's cron, and waits for its end. */
  cron(): Promise<{ readonly outcome: string }>;
  /** Ends workerd. What it stored stays. */
  stop(): Promise<void>;
}

/** A bundled program of `programs/`, and what its objects and databases store. */
export interface WorkerFolder {
  start(settings?: WorkerAppSettings): Promise<WorkerApp>;
  remove(): void;
}

/**
 * A program that is bundled once for all test files of a run, and a folder of its own for what it stores.
 *
 * @param flags compatibility flags
 */
export async function prepareWorker(
  program: string,
  flags: readonly string[] = [],
): Promise<WorkerFolder> {
  const modules = await madeOnce(`worker-${program}`, (outdir) => bundle(program, outdir));
  const directory = temporaryDirectory();
  const entry = `${program}.js`;
  const names = [entry, ...readdirSync(modules).filter((name) => name !== entry)];
  return {
    start: (settings = {}) =>
      startWorkerApp({ folder: directory.path, modules, names, flags, settings }),
    remove: () => directory.remove(),
  };
}

/** As wrangler does; splitting keeps what only Fragno's migrations need in files of their own. */
async function bundle(program: string, outdir: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL(`programs/${program}.ts`, import.meta.url))],
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    mainFields: ["module", "main"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "silent",
  });
}

interface WorkerOptions {
  /** What it stores is below. */
  readonly folder: string;
  readonly modules: string;
  /** Of modules, the entry first. */
  readonly names: readonly string[];
  readonly flags: readonly string[];
  readonly settings: WorkerAppSettings;
}

async function startWorkerApp(options: WorkerOptions): Promise<WorkerApp> {
  const { folder, modules, names, flags, settings } = options;
  const miniflare = createMiniflare({
    host: "127.0.0.1",
    modules: names.map((name) => ({ type: "ESModule", path: join(modules, name) })),
    modulesRoot: modules,
    compatibilityDate: "2026-04-01",
    compatibilityFlags: flags,
    bindings: { SETTINGS: settings },
    d1Databases: ["DB"],
    d1Persist: join(folder, "d1"),
    durableObjects: { WORKFLOWS: { className: "Workflows", useSQLite: true } },
    durableObjectsPersist: join(folder, "objects"),
  });
  const url = await miniflare.ready;
  return {
    url: url.href.replace(/\/$/, ""),
    cron: async () => {
      const worker = await miniflare.getWorker();
      return worker.scheduled({ cron: "*/5 * * * *" });
    },
    stop: () => miniflare.dispose(),
  };
}
