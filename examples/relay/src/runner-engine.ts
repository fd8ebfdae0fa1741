/** The engine of a platform's program. Web APIs only: it is bundled for each of them. */
import { IDLE_TICK } from "@escapement/engine/adapter";
import type { Database } from "@escapement/db";
import { createEngine, type Engine, type Platform } from "@escapement/engine";
import { createTickHandler } from "@escapement/engine/http";
import { createSqlStore } from "@escapement/engine/store/sql";
import { defineRelay } from "./relay-workflow.ts";
import type { RunnerSettings } from "./runner-settings.ts";

export interface RunnerEngineOptions {
  readonly settings: RunnerSettings;
  /** For instance `Deno 2.9.6`. */
  readonly runtime: string;
  readonly database: Database;
  /** @default none: work that comes due waits for a tick */
  readonly platform?: Platform;
}

/** The one instance of a relay. */
export const INSTANCE = "baton";

/** An engine that runs its platform's step and then no more, whatever drives it. */
export function createRunnerEngine(options: RunnerEngineOptions): Engine {
  const { settings, runtime, database, platform } = options;
  const engine = createEngine({
    workflows: { RELAY: defineRelay(settings, runtime) },
    store: createSqlStore({ database }),
    ...(platform === undefined ? {} : { platform }),
  });
  const tick: Engine["tick"] = async (input) => {
    // Asked of the database: an emulator may run every invocation in a new process.
    const { steps } = await engine.listHistory("relay", INSTANCE, {});
    const doneCount = steps.filter(({ status }) => status === "completed").length;
    if (doneCount >= settings.legNumber) return IDLE_TICK;
    const { processed, steps: begun } = await engine.tick({ ...input, maxSteps: 1, lingerMs: 0 });
    // What is left is the next platform's: nobody is to be woken here.
    return { ...IDLE_TICK, processed, steps: begun };
  };
  const service = { ...engine, tick };
  platform?.attach?.(service);
  const fetch = createTickHandler(service, { tick: { bearerSecret: settings.tickSecret } });
  return { ...service, fetch };
}
