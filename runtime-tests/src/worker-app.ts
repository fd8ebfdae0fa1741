/** The worker application in workerd: started, stopped as if the machine went away, and started again on what it stored. */
import { join } from "node:path";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { bundle } from "./start-program.ts";
import { createMiniflare } from "./tools.ts";
import type { WorkerAppSettings } from "./worker-app-settings.ts";

export interface WorkerApp {
  readonly url: string;
  /** Runs the Worker's cron, and waits for its end. */
  cron(): Promise<{ readonly outcome: string }>;
  /** Ends workerd. What it stored stays. */
  stop(): Promise<void>;
}

interface WorkerFolder {
  start(settings: WorkerAppSettings): Promise<WorkerApp>;
  remove(): void;
}

/** A folder with the bundled program of `programs/`, and with what its objects and databases store. */
export async function prepareWorker(program: string): Promise<WorkerFolder> {
  const directory = temporaryDirectory();
  await bundle(program, join(directory.path, "worker.mjs"));
  return {
    start: (settings) => startWorkerApp(directory.path, settings),
    remove: () => directory.remove(),
  };
}

async function startWorkerApp(folder: string, settings: WorkerAppSettings): Promise<WorkerApp> {
  const miniflare = createMiniflare({
    host: "127.0.0.1",
    modules: [{ type: "ESModule", path: join(folder, "worker.mjs") }],
    modulesRoot: folder,
    compatibilityDate: "2026-04-01",
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
