/** The engine that a host creates: bindings, the HTTP handler, ticks and the loop over one store. */
import type { Bindings, WorkflowsRegistry } from "../authoring/registry.ts";
import type { DurationMs } from "../core/model/records.ts";
import { createFetchHandler, type FetchHandlerOptions } from "../http/index.ts";
import type { EngineService } from "../ports/service.ts";
import { Line } from "../runner/line.ts";
import { type Loop, startLoop } from "../runner/loop.ts";
import { listHistory, listInstances } from "./list.ts";
import { createParts, type Parts, type PartsOptions } from "./parts.ts";

export interface EngineOptions<
  TRegistry extends WorkflowsRegistry,
> extends PartsOptions<TRegistry> {
  /** The HTTP API: authorization, tick secrets, mount path. */
  readonly http?: FetchHandlerOptions;
}

export interface Engine<
  TRegistry extends WorkflowsRegistry = WorkflowsRegistry,
> extends EngineService {
  readonly workflows: Bindings<TRegistry>;
  /** The HTTP API as a fetch handler. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Drives the engine in this process until stopped. @param options.pollMs @default 5000 */
  startLoop(options?: { readonly pollMs?: DurationMs }): Loop;
}

/** An engine and what it is made of, for rooms that add to it. */
export interface HostedEngine<TRegistry extends WorkflowsRegistry> {
  readonly engine: Engine<TRegistry>;
  readonly parts: Parts;
}

/** @throws {WorkflowError} WORKFLOW_INVALID, INVALID_WORKFLOW_NAME, DEPLOY_OPTIONS_INVALID */
export function createEngine<const TRegistry extends WorkflowsRegistry>(
  options: EngineOptions<TRegistry>,
): Engine<TRegistry> {
  return hostEngine(options).engine;
}

/** As `createEngine`. */
export function hostEngine<const TRegistry extends WorkflowsRegistry>(
  options: EngineOptions<TRegistry>,
): HostedEngine<TRegistry> {
  const loops = new Set<Loop>();
  const parts = createParts(options, () => line.take());
  const { context, find } = parts;
  const line = new Line(context, () => loops.size > 0);
  const service: EngineService = {
    ...parts.service,
    listInstances: async (name, input) => listInstances(context, find(name), input),
    listHistory: async (name, id, input) => listHistory(context, find(name), { id, input }),
  };
  const engine: Engine<TRegistry> = {
    ...service,
    workflows: parts.bindings as Bindings<TRegistry>,
    fetch: createFetchHandler(service, { logger: context.logger, ...options.http }),
    startLoop: (loopOptions = {}) =>
      trackLoop(loops, startPartsLoop(parts, { line, ...loopOptions })),
  };
  return { engine, parts };
}

function startPartsLoop(
  { context, work }: Parts,
  options: { readonly line: Line; readonly pollMs?: DurationMs },
): Loop {
  const { pool, host, logger } = context;
  return startLoop({ pool, host, logger, work, ...options });
}

/** While a loop runs, what is created here is run here. */
function trackLoop(loops: Set<Loop>, loop: Loop): Loop {
  const tracked: Loop = {
    stop: (options) => {
      loops.delete(tracked);
      return loop.stop(options);
    },
  };
  loops.add(tracked);
  return tracked;
}
