/** What `engine.workflows` gives for keys that it does not have. */
import type { Workflow } from "../authoring/bindings.ts";

/** Properties that code reads on any object, to await it or to write it as JSON. */
const ASKED_OF_ALL: ReadonlySet<unknown> = new Set(["then", "toJSON"]);

/**
 * Makes the prototype of the bindings. Existing keys are never looked up here, so they cost nothing. Any other key gives a workflow
 * that refuses all calls.
 *
 * @param create creates the workflow of a key
 */
export const createMissingBindings = (create: (key: string) => Workflow): object =>
  new Proxy(
    {},
    {
      get: (target, key, receiver) =>
        typeof key === "symbol" || key in target || ASKED_OF_ALL.has(key)
          ? (Reflect.get(target, key, receiver) as unknown)
          : create(key),
    },
  );
