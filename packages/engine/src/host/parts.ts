/** What every engine is made of: registry, pool, commits, and the service without pages and HTTP. */
import {
  createRegistry,
  type RegisteredWorkflow,
  type WorkflowsRegistry,
} from "../authoring/registry.ts";
import { WorkflowError } from "../core/errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../core/limits.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";
import type { Logger } from "../ports/logger.ts";
import type { Platform, WakeHint } from "../ports/platform.ts";
import type { CoreService } from "../ports/service.ts";
import type { Store } from "../ports/store.ts";
import { createCommitter } from "../runner/committer.ts";
import { createLane } from "../runner/lane.ts";
import type { Slot } from "../runner/line.ts";
import { RunPool } from "../runner/pool.ts";
import { createSignal, type Signal } from "../runner/signal.ts";
import type { StepTransactions } from "../runner/step-transactions.ts";
import { runTick } from "../runner/tick.ts";
import { createWebHost } from "../runner/web-host.ts";
import { createBindings } from "./bindings.ts";
import type { HostContext } from "./context.ts";
import { createBatch, createInstance } from "./create.ts";
import { tryWake } from "./drive.ts";
import { createConsoleLogger } from "./logger.ts";
import { controlInstance, loadInstance, sendEvent } from "./manage.ts";
import { toInstanceView } from "./views.ts";

/** What every engine takes. */
export interface PartsOptions<TRegistry extends WorkflowsRegistry> {
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
  /** Lets steps write into tables that are not the engine's. @default steps have no such writes */
  readonly stepTransactions?: StepTransactions | undefined;
}

export interface Parts {
  readonly context: HostContext;
  readonly service: CoreService;
  readonly bindings: Readonly<Record<string, unknown>>;
  /** Something came due in this process. */
  readonly work: Signal<WakeHint>;
  readonly find: (workflowName: string) => RegisteredWorkflow;
}

/**
 * @param takeSlot see `HostContext`
 * @throws {WorkflowError} WORKFLOW_INVALID, INVALID_WORKFLOW_NAME
 */
export function createParts(
  options: PartsOptions<WorkflowsRegistry>,
  takeSlot: () => Slot | null,
): Parts {
  const work = createSignal<WakeHint>();
  // Workflow code needs the bindings, which need the service, which runs workflow code.
  const bindings: Record<string, never> = {};
  const context = createContext(options, { work, takeSlot, bindings });
  const find = (name: string): RegisteredWorkflow => findWorkflow(context, name);
  const { expectedStepMs = 5000 } = options;
  const service = createCoreService(context, find, { work, expectedStepMs });
  Object.assign(bindings, createBindings(service, context.registry));
  return { context, service, bindings, work, find };
}

interface Wiring {
  readonly work: Signal<WakeHint>;
  readonly takeSlot: () => Slot | null;
  readonly bindings: Readonly<Record<string, never>>;
}

function createContext(options: PartsOptions<WorkflowsRegistry>, wiring: Wiring): HostContext {
  const { store, platform, leaseMs = 30_000, env = {}, stepTransactions } = options;
  const logger = options.logger ?? createConsoleLogger();
  const host = createWebHost(options.host);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const registry = createRegistry(options.workflows, { env, limits });
  const commit = createCommitter({ store, host, logger, leaseMs });
  const runner = {
    store,
    host,
    logger,
    limits,
    leaseMs,
    registry,
    commit,
    stepTransactions,
    workflows: wiring.bindings,
  };
  return {
    ...runner,
    pool: new RunPool(runner, options.concurrency ?? 32),
    createShared: createLane((instances) => store.create(instances), {
      maxInFlight: store.callsAtOnce ?? 2,
      maxBatch: 100,
    }),
    takeSlot: wiring.takeSlot,
    wake: (hint) => {
      wiring.work.emit(hint);
      if (platform !== undefined)
        platform.defer(tryWake(() => platform.wakeNow(hint), hint, logger));
    },
  };
}

function createCoreService(
  context: HostContext,
  find: (name: string) => RegisteredWorkflow,
  tick: { readonly work: Signal<WakeHint>; readonly expectedStepMs: number },
): CoreService {
  const tickOptions = { context, pool: context.pool, ...tick };
  return {
    listWorkflows: () => [...context.registry.values()].map(({ name }) => ({ name })),
    createInstance: async (name, input) => createInstance(context, find(name), input),
    createBatch: async (name, instances) => createBatch(context, find(name), instances),
    getInstance: async (name, id) => toInstanceView(await loadInstance(context, find(name), id)),
    control: async (name, id, command) => controlInstance(context, find(name), { id, command }),
    sendEvent: async (name, id, event) => sendEvent(context, find(name), { id, event }),
    tick: (input = {}) => runTick(tickOptions, input),
  };
}

function findWorkflow(context: HostContext, name: string): RegisteredWorkflow {
  const workflow = context.registry.get(name);
  if (workflow !== undefined) return workflow;
  const workflowName = name.slice(0, 100);
  const message = `no workflow named "${workflowName}" is registered`;
  const registered = [...context.registry.keys()];
  throw new WorkflowError("WORKFLOW_NOT_FOUND", message, { workflowName, registered });
}
