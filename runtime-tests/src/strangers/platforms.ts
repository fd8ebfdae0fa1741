/** The strangers' engine as each runtime serves it, at a port of 127.0.0.1. */
import { startProgram } from "../start-program.ts";
import { missingRuntime, missingWorkerd, type Runtime } from "../tools.ts";
import { prepareWorker } from "../worker-app.ts";

/** An engine that is served. */
export interface Served {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

/** How a runtime serves it. */
export interface StrangerPlatform {
  readonly name: string;
  /** Why it cannot be served here; null when it can. */
  readonly missing: string | null;
  readonly open: () => Promise<Served>;
}

export const STRANGER_PLATFORMS: readonly StrangerPlatform[] = [
  inRuntime("Node", "node24", "stranger-node"),
  inRuntime("Bun", "bun", "stranger-bun"),
  inRuntime("Deno", "deno", "stranger-deno"),
  { name: "workerd", missing: missingWorkerd(), open: openWorker },
];

function inRuntime(name: string, runtime: Runtime, program: string): StrangerPlatform {
  const open = async (): Promise<Served> => {
    const { url, stop } = await startProgram({ runtime, program, args: [] });
    return { port: Number(new URL(url).port), stop: () => stop() };
  };
  return { name, missing: missingRuntime(runtime), open };
}

async function openWorker(): Promise<Served> {
  const folder = await prepareWorker("stranger-worker");
  const app = await folder.start();
  const stop = async (): Promise<void> => {
    await app.stop();
    folder.remove();
  };
  return { port: Number(new URL(app.url).port), stop };
}
