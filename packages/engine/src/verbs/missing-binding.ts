/** What `engine.workflows` says of keys that it does not have. */
import type { Workflow } from "../authoring/bindings.ts";
import { WorkflowError } from "../core/errors.ts";

/** What whoever looks at any object asks for: to await it, or to write it as JSON. */
const ASKED_OF_ALL: ReadonlySet<unknown> = new Set(["then", "toJSON"]);

/**
 * Makes what bindings inherit from: a key that they have is never looked up here, and so costs nothing; any other one is a workflow
 * all of whose calls are refused.
 *
 * @param keys those that there are
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
