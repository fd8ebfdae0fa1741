/** What `engine.workflows` gives for keys that it does not have. */
import type { Workflow } from "../authoring/bindings.ts";
import { WorkflowError } from "../core/errors.ts";

/** Properties that code reads on any object, to await it or to write it as JSON. */
const ASKED_OF_ALL: ReadonlySet<unknown> = new Set(["then", "toJSON"]);

/**
 * Makes the prototype of the bindings. Existing keys are never looked up here, so they cost nothing. Any other key gives a workflow
 * that refuses all calls.
 *
 * @param keys gives the existing keys
 */
export const createMissingBindings = (keys: () => readonly string[]): object =>
  new Proxy(
    {},
    {
      get: (target, key, receiver) =>
        typeof key === "symbol" || key in target || ASKED_OF_ALL.has(key)
          ? (Reflect.get(target, key, receiver) as unknown)
          : createMissingBinding(key, keys()),
    },
  );

function createMissingBinding(key: string, registered: readonly string[]): Workflow {
  const refuse = (): Promise<never> => {
    const message = `engine.workflows has no "${key}", but ${registered.join(", ")}`;
    const details = { workflowName: key, registered };
    return Promise.reject(new WorkflowError("WORKFLOW_NOT_FOUND", message, details));
  };
  return {
    create: refuse,
    execute: refuse,
    createBatch: refuse,
    restartOrCreate: refuse,
    get: refuse,
  };
}
