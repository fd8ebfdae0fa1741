/** @module An engine for functions that only tick: it starts, runs and wakes workflows. */
import type { Bindings, WorkflowsRegistry } from "../authoring/registry.ts";
import type { CoreService } from "../ports/service.ts";
import { createParts, type PartsChoice, type PartsOptions } from "./parts.ts";
import type { Verbs } from "./verbs.ts";

export type TickEngineOptions<TRegistry extends WorkflowsRegistry> = PartsOptions<TRegistry>;

export interface TickEngine<
  TRegistry extends WorkflowsRegistry = WorkflowsRegistry,
> extends CoreService {
  readonly workflows: Bindings<TRegistry>;
}

/**
 * As `createEngine`, without HTTP, pages and the loop: the smallest bundle that can tick. `createTickHandler` of
 * `@escapement/engine/http` gives it the tick route. Verbs that workflow code may call on its bindings (create, send an
 * event, pause) are loaded by their first call.
 *
 * @throws {WorkflowError} WORKFLOW_INVALID, INVALID_WORKFLOW_NAME
 */
export function createTickEngine<const TRegistry extends WorkflowsRegistry>(
  options: TickEngineOptions<TRegistry>,
): TickEngine<TRegistry> {
  const { service, bindings } = createParts(options, {
    createVerbs: createLateVerbs,
    reserveSlot: () => null,
  });
  const engine: TickEngine<TRegistry> = {
    ...service,
    workflows: bindings as Bindings<TRegistry>,
  };
  options.platform?.attach?.(engine);
  return engine;
}

/** The same verbs, loaded when one is called: most ticks call none. */
const createLateVerbs: PartsChoice["createVerbs"] = (context, find) => {
  const load = async (): Promise<Verbs> => {
    const { createVerbs } = await import("./verbs.ts");
    return createVerbs(context, find);
  };
  return {
    createInstance: async (...input) => (await load()).createInstance(...input),
    createBatch: async (...input) => (await load()).createBatch(...input),
    getInstance: async (...input) => (await load()).getInstance(...input),
    control: async (...input) => (await load()).control(...input),
    sendEvent: async (...input) => (await load()).sendEvent(...input),
  };
};
