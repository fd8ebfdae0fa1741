/** @module An engine for functions that only tick: it starts, runs and wakes workflows. */
import type { Bindings } from "../authoring/bound-types.ts";
import type { WorkflowsRegistry } from "../authoring/registry.ts";
import type { CoreService } from "../ports/service.ts";
import { createParts, type PartsChoice, type PartsOptions } from "./parts.ts";
import type { Verbs } from "./verbs.ts";

/** As `EngineOptions`, without the HTTP API. */
export type TickEngineOptions<TRegistry extends WorkflowsRegistry> = PartsOptions<TRegistry>;

/** An engine for functions that only tick. */
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
  const late = <TVerb extends keyof Verbs>(verb: TVerb): Verbs[TVerb] =>
    (async (...input: never[]) => {
      const { createVerbs } = await import("./verbs.ts");
      return (createVerbs(context, find)[verb] as (...input: never[]) => unknown)(...input);
    }) as Verbs[TVerb];
  return {
    createInstance: late("createInstance"),
    createBatch: late("createBatch"),
    getInstance: late("getInstance"),
    control: late("control"),
    awaitResult: late("awaitResult"),
    sendEvent: late("sendEvent"),
  };
};
