/** @module An engine for functions that only tick: it starts, runs and wakes workflows. */
import type { Bindings } from "../authoring/bound-types.ts";
import type { WorkflowsRegistry } from "../authoring/registry.ts";
import type { CoreService } from "../ports/service.ts";
import { createLateBindings, createLateMissing, createLateVerbs } from "./late-verbs.ts";
import { createParts, type PartsOptions } from "./parts.ts";

/** `EngineOptions` without the HTTP API. */
type TickEngineOptions<TRegistry extends WorkflowsRegistry> = PartsOptions<TRegistry>;

/** An engine for functions that only tick. */
export interface TickEngine<
  TRegistry extends WorkflowsRegistry = WorkflowsRegistry,
> extends CoreService {
  readonly workflows: Bindings<TRegistry>;
}

/**
 * Creates an engine without HTTP, lists and loops: the smallest bundle that can tick. `createTickHandler` of
 * `@escapement/engine/http` adds the tick route. Methods that workflow code may call on its bindings (create, send an event,
 * pause) are loaded when first called.
 *
 * @throws {WorkflowError} WORKFLOW_INVALID, INVALID_WORKFLOW_NAME
 */
export function createTickEngine<const TRegistry extends WorkflowsRegistry>(
  options: TickEngineOptions<TRegistry>,
): TickEngine<TRegistry> {
  const { service, bindings } = createParts(options, {
    createVerbs: createLateVerbs,
    createBindings: createLateBindings,
    createMissingBinding: createLateMissing,
  });
  const engine: TickEngine<TRegistry> = {
    ...service,
    workflows: bindings as Bindings<TRegistry>,
  };
  options.platform?.attach?.(engine);
  return engine;
}
