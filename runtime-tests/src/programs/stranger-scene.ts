/** The engine that strangers call, on each runtime: nothing ticks, and who says that he is a stranger is refused. */
import { createEngine, defineWorkflow, type Engine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";

const ORDER = defineWorkflow({ name: "order" }, (_event, step) =>
  step.waitForEvent("approval", { type: "approval" }),
);

/** Opens the engine, whose only workflow is `order`. */
export function openStrangerEngine(): Engine {
  return createEngine({
    workflows: { ORDER },
    store: createMemoryStore(),
    http: {
      authorizeRequest: ({ request }) =>
        request.headers.has("x-stranger") ? Promise.reject(new Error("a stranger")) : undefined,
    },
    logger: { log: () => undefined },
  });
}
