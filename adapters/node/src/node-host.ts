/** What Node does better than Web APIs alone. */
import type { EngineOptions, WorkflowsRegistry } from "@escapement/engine";

/** For `createEngine({ host: nodeHost })`: a turn of the event loop without the millisecond that a timer costs. */
export const nodeHost: NonNullable<EngineOptions<WorkflowsRegistry>["host"]> = {
  turn: () => new Promise((resolve) => setImmediate(resolve)),
};
