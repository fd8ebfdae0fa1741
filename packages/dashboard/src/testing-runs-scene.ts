/** Orders that are restarted, fail and complete when a test says so. */
import { createEngine, defineWorkflow, type Engine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { drive } from "./testing-broken-scene.ts";

/** The engine, and what may happen to an order of it. */
export interface RunsScene {
  readonly engine: Engine;
  /** Starts an order, which then waits. @param parts more steps before the wait */
  readonly start: (id: string, parts?: number) => Promise<void>;
  /** A new run, which then waits. */
  readonly restart: (id: string) => Promise<void>;
  /** Lets the order that waits complete, or fail. */
  readonly complete: (id: string) => Promise<void>;
  readonly fail: (id: string) => Promise<void>;
  /** A first run that failed, and a second one that waits. */
  readonly failThenRestart: (id: string) => Promise<void>;
}

const ORDER = defineWorkflow(
  { name: "order", retries: { limit: 0, delay: 0 } },
  async ({ payload }, step) => {
    const { parts = 0 } = (payload ?? {}) as { readonly parts?: number };
    await step.do("reserve", () => undefined);
    for (let part = 0; part < parts; part += 1) await step.do("part", () => part);
    const { payload: isGood } = await step.waitForEvent<boolean>("approval", { type: "approval" });
    await step.do("price", () => {
      if (!isGood) throw new RangeError("no price");
    });
  },
);

export async function openRunsScene(): Promise<RunsScene> {
  const engine = createEngine({
    workflows: { ORDER },
    store: createMemoryStore(),
    logger: { log: () => undefined },
  });
  const approve = async (id: string, isGood: boolean): Promise<void> => {
    await engine.sendEvent("order", id, { type: "approval", payload: isGood });
    await drive(engine);
  };
  const start = async (id: string, parts = 0): Promise<void> => {
    await engine.createInstance("order", { id, params: { parts } });
    await drive(engine);
  };
  const restart = async (id: string): Promise<void> => {
    await engine.control("order", id, "restart");
    await drive(engine);
  };
  return {
    engine,
    start,
    restart,
    complete: (id) => approve(id, true),
    fail: (id) => approve(id, false),
    failThenRestart: async (id) => {
      await start(id);
      await approve(id, false);
      await restart(id);
    },
  };
}
