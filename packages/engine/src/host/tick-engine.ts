/** @module An engine for functions that only tick: it starts, runs and wakes workflows, and answers the tick route. */
import type { Bindings, WorkflowsRegistry } from "../authoring/registry.ts";
import { createTickHandler, type TickHandlerOptions } from "../http/tick-handler.ts";
import type { CoreService } from "../ports/service.ts";
import { createParts, type PartsOptions } from "./parts.ts";

export interface TickEngineOptions<
  TRegistry extends WorkflowsRegistry,
> extends PartsOptions<TRegistry> {
  /** The tick route: its secrets and mount path. */
  readonly http?: TickHandlerOptions;
}

export interface TickEngine<
  TRegistry extends WorkflowsRegistry = WorkflowsRegistry,
> extends CoreService {
  readonly workflows: Bindings<TRegistry>;
  /** Answers the tick route and nothing else. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * As `createEngine`, without the management API, pages and the loop: the smallest bundle that can tick.
 *
 * @throws {WorkflowError} WORKFLOW_INVALID, INVALID_WORKFLOW_NAME, DEPLOY_OPTIONS_INVALID
 */
export function createTickEngine<const TRegistry extends WorkflowsRegistry>(
  options: TickEngineOptions<TRegistry>,
): TickEngine<TRegistry> {
  const { service, bindings, context } = createParts(options, () => null);
  const engine: TickEngine<TRegistry> = {
    ...service,
    workflows: bindings as Bindings<TRegistry>,
    fetch: createTickHandler(service, { logger: context.logger, ...options.http }),
  };
  options.platform?.attach?.(engine);
  return engine;
}
