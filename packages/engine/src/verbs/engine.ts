/** The engine that a host creates: bindings, the HTTP handler, ticks and the loop over one store. */
import type { Bindings } from "../authoring/bound-types.ts";
import type { WorkflowsRegistry } from "../authoring/registry.ts";
import { late } from "../core/late.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { DurationMs } from "../core/model/records.ts";
import { prepareFetchHandler } from "../http/fetch-handler.ts";
import type { FetchHandlerOptions } from "../http/options.ts";
import type { EngineService } from "../ports/service.ts";
import { Prefetch } from "../process/prefetch.ts";
import { type RunningLoop, startLoop } from "../process/loop.ts";
import { findNextWake, type NextWake } from "../process/next-wake.ts";
import { assertEngineOptions } from "./engine-options.ts";
import { listHistory, listInstances } from "./list.ts";
import { reserveForTick } from "./reserve-for-tick.ts";
import type { LifecycleEvent, LifecycleListener } from "../ports/lifecycle.ts";
import { assertListeners } from "./listeners.ts";
import { createVerbs } from "./verbs.ts";
import { createBindings } from "./bindings.ts";
import { type EngineWithin, openWithin } from "./within.ts";
import type { CallersTransaction } from "../ports/transaction.ts";
import { createParts, type Parts, type PartsOptions } from "./parts.ts";

const finding = late(() => import("./find-instances.ts"));

/** Workflows, the store, the platform, the HTTP API, and limits. */
export interface EngineOptions<
  TRegistry extends WorkflowsRegistry,
> extends PartsOptions<TRegistry> {
  /** The HTTP API: authorization, tick secrets, mount path. */
  readonly http?: FetchHandlerOptions;
}

/** Workflows over one store: their bindings, the HTTP API, ticks and loops. */
export interface Engine<
  TRegistry extends WorkflowsRegistry = WorkflowsRegistry,
> extends EngineService {
  readonly workflows: Bindings<TRegistry>;
  /** The HTTP API as a fetch handler. */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * The engine's verbs inside your own transaction, on the database of its store: they commit and roll back with it.
   *
   * @throws TRANSACTION_UNUSABLE — the store is on no SQL database. The verbs also, where `transaction` is no open one of that
   *   database, and TRANSACTION_CONFLICT, where only the whole of it can be tried again
   */
  with(transaction: CallersTransaction): EngineWithin<TRegistry>;
  /**
   * Tells a function of your own what happens in this process: `engine.on("attemptFailed", ({ stepKey, error }) => …)`. Nobody
   * waits for it, and what it throws is logged.
   *
   * @returns what stops it
   * @throws UNKNOWN_OPTION — there is no such event
   */
  on<TEvent extends LifecycleEvent>(event: TEvent, listener: LifecycleListener<TEvent>): () => void;
  /** How far off the next work is, and why it is due then; null: none comes due by itself. One trip, which takes nothing. @throws STORE_UNAVAILABLE */
  nextWake(): Promise<NextWake | null>;
  /** Drives the engine in this process until stopped. @param options.pollMs @default 5000 */
  startLoop(options?: { readonly pollMs?: DurationMs }): RunningLoop;
  /** Stops its loops as `RunningLoop.stop` does, then closes the store: its connections end, and so may the process. */
  close(): Promise<void>;
}

/** An engine and what it is made of, for rooms that add to it. */
export interface HostedEngine<TRegistry extends WorkflowsRegistry> {
  readonly engine: Engine<TRegistry>;
  readonly parts: Parts;
}

/**
 * Creates an engine over a store, and attaches it to its platform. Nothing connects or runs before it is asked to.
 *
 * @throws {WorkflowError} WORKFLOW_INVALID, INVALID_WORKFLOW_NAME, UNKNOWN_OPTION, DEPLOY_OPTIONS_INVALID
 */
export function createEngine<const TRegistry extends WorkflowsRegistry>(
  options: EngineOptions<TRegistry>,
): Engine<TRegistry> {
  return hostEngine(options).engine;
}

/** As `createEngine`. */
export function hostEngine<const TRegistry extends WorkflowsRegistry>(
  options: EngineOptions<TRegistry>,
): HostedEngine<TRegistry> {
  assertEngineOptions(options);
  const loops = new Set<RunningLoop>();
  const parts = createParts(options, {
    createVerbs,
    createBindings,
    reserveSlot: (reason) =>
      prefetch.reserve() ?? reserveForTick(context, options.platform, reason),
    reserveChild: () => prefetch.reserve(),
  });
  const { context, find } = parts;
  const prefetch = new Prefetch(context, () => loops.size > 0);
  const service: EngineService = {
    ...parts.service,
    listInstances: async (name, input) => listInstances(context, find(name), input),
    findInstances: async (input) => (await finding()).findInstances(context, input),
    countInstances: async (input) => (await finding()).countInstances(context, input),
    listHistory: async (name, id, input) => listHistory(context, find(name), { id, input }),
  };
  const http = createHttp(service, context, options);
  const engine: Engine<TRegistry> = {
    ...service,
    workflows: parts.bindings as Bindings<TRegistry>,
    get fetch() {
      return http();
    },
    with: (transaction) => openWithin(parts, transaction) as EngineWithin<TRegistry>,
    on: (event, listener) => {
      assertListeners({ [event]: listener });
      return context.lifecycle.on(event, listener);
    },
    nextWake: () => findNextWake(context),
    startLoop: (loopOptions = {}) => {
      assertKnownOptions("startLoop", loopOptions, { pollMs: 1 });
      return trackLoop(loops, startPartsLoop(parts, { prefetch, ...loopOptions }));
    },
    close: async () => {
      await Promise.all([...loops].map((loop) => loop.stop()));
      await context.store.close();
    },
  };
  options.platform?.attach?.(engine);
  return { engine, parts };
}

/** The handler. What it leaves open or closed is said when it is asked for: many engines serve no HTTP. */
function createHttp(
  service: EngineService,
  { logger, limits: { maxBatchSize } }: Parts["context"],
  { http, platform }: Pick<EngineOptions<WorkflowsRegistry>, "http" | "platform">,
): () => Engine["fetch"] {
  const options = { logger, ...http, limits: { maxBatchSize, ...http?.limits } };
  const { handler, warn } = prepareFetchHandler(service, options, platform);
  let isToldOf = false;
  return () => {
    if (!isToldOf) warn();
    isToldOf = true;
    return handler;
  };
}

function startPartsLoop(
  { context, work }: Parts,
  options: { readonly prefetch: Prefetch; readonly pollMs?: DurationMs },
): RunningLoop {
  const { slots, host, logger, store, claimedNames } = context;
  const listening = { listen: store.listen, workflowNames: claimedNames };
  return startLoop({ slots, host, logger, work, ...listening, ...options });
}

/** While a loop runs, what is created here is run here. */
function trackLoop(loops: Set<RunningLoop>, loop: RunningLoop): RunningLoop {
  const tracked: RunningLoop = {
    stop: (options) => {
      loops.delete(tracked);
      return loop.stop(options);
    },
  };
  loops.add(tracked);
  return tracked;
}
