/** The engine that a host creates: bindings, the HTTP handler, ticks and the loop over one store. */
import {
  type Bindings,
  createRegistry,
  type RegisteredWorkflow,
  type WorkflowsRegistry,
} from "../authoring/registry.ts";
import { WorkflowError } from "../core/errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../core/limits.ts";
import type { DurationMs } from "../core/model/records.ts";
import { createFetchHandler, type FetchHandlerOptions } from "../http/index.ts";
import type { Host } from "../ports/host.ts";
import type { Logger } from "../ports/logger.ts";
import type { Platform, WakeHint } from "../ports/platform.ts";
import type { EngineService } from "../ports/service.ts";
import type { Store } from "../ports/store.ts";
import { createCommitter } from "../runner/committer.ts";
import { createLane } from "../runner/lane.ts";
import { type Loop, startLoop } from "../runner/loop.ts";
import { RunPool } from "../runner/pool.ts";
import { createSignal, type Signal } from "../runner/signal.ts";
import { runTick } from "../runner/tick.ts";
import { createWebHost } from "../runner/web-host.ts";
import { createBindings } from "./bindings.ts";
import type { HostContext } from "./context.ts";
import { createBatch, createInstance } from "./create.ts";
import { listHistory, listInstances } from "./list.ts";
import { createConsoleLogger } from "./logger.ts";
import { controlInstance, loadInstance, sendEvent } from "./manage.ts";
import { toInstanceView } from "./views.ts";

export interface EngineOptions<TRegistry extends WorkflowsRegistry> {
  /** Workflows by binding key. */
  readonly workflows: TRegistry;
  readonly store: Store;
  /** Given to class workflows as `this.env`. */
  readonly env?: unknown;
  readonly limits?: Partial<Limits>;
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
  /** A runtime's better timers, ids and chance. @default Web APIs */
  readonly host?: Partial<Host>;
  readonly platform?: Platform;
  /** How long a claim holds without renewal, in milliseconds; renewed at a third of it. @default 30000 @minimum 1000 */
  readonly leaseMs?: DurationMs;
  /** Runs advanced at once by this process. @default 32 @minimum 1 */
  readonly concurrency?: number;
  /** How long a body is expected to take, for ticks with a deadline, in milliseconds. @default 5000 */
  readonly expectedStepMs?: DurationMs;
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

/** @throws {WorkflowError} WORKFLOW_INVALID, INVALID_WORKFLOW_NAME */
export function createEngine<const TRegistry extends WorkflowsRegistry>(
  options: EngineOptions<TRegistry>,
): Engine<TRegistry> {
  const work = createSignal<WakeHint>();
  const loops = new Set<Loop>();
  const bindings: Record<string, never> = {};
  const context = createContext(options, { work, loops, bindings });
  const service = createService(context, { work, expectedStepMs: options.expectedStepMs ?? 5000 });
  Object.assign(bindings, createBindings(service, context.registry));
  return {
    ...service,
    workflows: bindings as unknown as Bindings<TRegistry>,
    fetch: createFetchHandler(service, { logger: context.logger, ...options.http }),
    startLoop: (loopOptions = {}) => {
      const { pool, host, logger } = context;
      const loop = startLoop({ pool, host, logger, work, ...loopOptions });
      const tracked: Loop = {
        stop: (stopOptions) => {
          loops.delete(tracked);
          return loop.stop(stopOptions);
        },
      };
      loops.add(tracked);
      return tracked;
    },
  };
}

interface Wiring {
  readonly work: Signal<WakeHint>;
  readonly loops: ReadonlySet<Loop>;
  /** Filled in once the service exists. */
  readonly bindings: Readonly<Record<string, never>>;
}

function createContext(
  options: EngineOptions<WorkflowsRegistry>,
  { work, loops, bindings }: Wiring,
): HostContext {
  const { store, platform, leaseMs = 30_000, env = {} } = options;
  const logger = options.logger ?? createConsoleLogger();
  const host = createWebHost(options.host);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const registry = createRegistry(options.workflows, { env, limits });
  const commit = createCommitter({ store, host, logger, leaseMs });
  const runner = { store, host, logger, limits, leaseMs, registry, workflows: bindings, commit };
  return {
    ...runner,
    pool: new RunPool(runner, options.concurrency ?? 32),
    createShared: createLane((instances) => store.create(instances), {
      maxInFlight: 2,
      maxBatch: 100,
    }),
    mayRunHere: () => loops.size > 0,
    wake: (hint) => {
      work.emit(hint);
      if (platform !== undefined) platform.defer(wakePlatform(platform, hint, logger));
    },
  };
}

async function wakePlatform(platform: Platform, hint: WakeHint, logger: Logger): Promise<void> {
  try {
    await platform.wakeNow(hint);
  } catch (error) {
    logger.log("warn", "wake.failed", { ...hint, error: String(error), code: "WAKE_FAILED" });
  }
}

function createService(
  context: HostContext,
  options: { readonly work: Signal<WakeHint>; readonly expectedStepMs: number },
): EngineService {
  const find = (name: string): RegisteredWorkflow => findWorkflow(context, name);
  const tickOptions = { context, pool: context.pool, ...options };
  return {
    listWorkflows: () => [...context.registry.values()].map(({ name }) => ({ name })),
    createInstance: async (name, input) => createInstance(context, find(name), input),
    createBatch: async (name, instances) => createBatch(context, find(name), instances),
    getInstance: async (name, id) => toInstanceView(await loadInstance(context, find(name), id)),
    listInstances: async (name, input) => listInstances(context, find(name), input),
    control: async (name, id, command) => controlInstance(context, find(name), { id, command }),
    sendEvent: async (name, id, event) => sendEvent(context, find(name), { id, event }),
    listHistory: async (name, id, input) => listHistory(context, find(name), { id, input }),
    tick: (input = {}) => runTick(tickOptions, input),
  };
}

function findWorkflow(context: HostContext, name: string): RegisteredWorkflow {
  const workflow = context.registry.get(name);
  if (workflow !== undefined) return workflow;
  throw new WorkflowError(
    "WORKFLOW_NOT_FOUND",
    `no workflow named "${String(name).slice(0, 100)}" is registered`,
    {
      workflowName: String(name).slice(0, 100),
      registered: [...context.registry.keys()],
    },
  );
}
