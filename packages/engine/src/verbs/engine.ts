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
import type { ExportChunks, MovedFamily } from "../ports/move.ts";
import type { LifecycleEvent, LifecycleListener } from "../ports/lifecycle.ts";
import { assertListeners } from "./listeners.ts";
import { createVerbs } from "./verbs.ts";
import { createBindings } from "./bindings.ts";
import { type EngineWithin, openWithin } from "./within.ts";
import type { CallersTransaction } from "../ports/transaction.ts";
import { createParts, type Parts, type PartsOptions } from "./parts.ts";

const finding = late(() => import("./find-instances.ts"));
const overview = late(() => import("./overview.ts"));
const imports = late(() => import("./import-instances.ts"));
const bulk = late(() => import("./bulk.ts"));

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
  /**
   * An instance with its history, as the lines of a file: with its runs, their steps and events, its stream, and its children and
   * theirs. All of them are paused or have ended. Nothing of it is read before it is asked for, and a page at a time then.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND
   * @throws INSTANCE_NOT_PAUSED — it goes on, or one of its children does, or the run that started it has not ended
   * @throws INSTANCE_CHANGED — it was resumed, or an event came for it, while it was read: what was given is no export
   * @throws BATCH_TOO_LARGE — it and those below it are more than 10 000
   */
  export(workflowName: string, id: string): AsyncIterable<string>;
  /**
   * Makes instances of one export or of several, one behind the other. Each comes whole or not at all. They are as they were:
   * paused, or ended. Resume them here once they are closed where they come from.
   *
   * @throws IMPORT_INVALID — a line is not what an export has; `details.line` says which
   * @throws INSTANCE_ID_ALREADY_EXISTS — an instance has the id of one of them
   * @throws WORKFLOW_NOT_FOUND — the engine does not have one of the workflows
   */
  import(chunks: ExportChunks): Promise<readonly MovedFamily[]>;
  /**
   * Ends the instances here that go on where their exports were imported: those that are paused are `terminated`. Before they are
   * resumed there.
   *
   * @returns what was ended; an `instanceCount` of 0: it had ended, or was deleted
   * @throws INSTANCE_CHANGED — one was resumed since, or an event came for it. Delete what was imported, and export it again
   * @throws IMPORT_INVALID — as `import`
   */
  closeMoved(chunks: ExportChunks): Promise<readonly MovedFamily[]>;
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
    measureActivity: async (input) => (await overview()).measureActivity(context, input),
    listLeases: async (input) => (await overview()).listLeases(context, input),
    listCallbacks: async (input) => (await overview()).listCallbacks(context, input),
    previewBulk: async (input) => (await bulk()).previewBulk(context, input),
    startBulk: async (input) => (await bulk()).startBulk(context, input),
    getBulk: async (id) => (await bulk()).getBulk(context, id),
    listBulks: async (input) => (await bulk()).listBulks(context, input),
    cancelBulk: async (id) => (await bulk()).cancelBulk(context, id),
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
    export: (name, id) => exportLazily(parts, name, id),
    import: async (chunks) => (await imports()).importInstances(context, find, chunks),
    closeMoved: async (chunks) => (await imports()).closeMoved(context, chunks),
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

async function* exportLazily(
  { context, find }: Parts,
  workflowName: string,
  id: string,
): AsyncGenerator<string, void, undefined> {
  const workflow = find(workflowName);
  const { exportInstance } = await import("./export-instance.ts");
  yield* exportInstance(context, workflow, id);
}

type HttpParts = Pick<EngineOptions<WorkflowsRegistry>, "http" | "platform" | "telemetry">;

/** The handler. What it leaves open or closed is said when it is asked for: many engines serve no HTTP. */
function createHttp(
  service: EngineService,
  { logger, limits: { maxBatchSize } }: Parts["context"],
  { http, platform, telemetry }: HttpParts,
): () => Engine["fetch"] {
  const options = { logger, ...http, limits: { maxBatchSize, ...http?.limits } };
  const { handler, warn } = prepareFetchHandler(service, options, platform);
  const fetch = telemetry?.wrapFetch(handler) ?? handler;
  let isToldOf = false;
  return () => {
    if (!isToldOf) warn();
    isToldOf = true;
    return fetch;
  };
}

function startPartsLoop(
  { context, work }: Parts,
  options: { readonly prefetch: Prefetch; readonly pollMs?: DurationMs },
): RunningLoop {
  const { slots, host, logger, store, claimedNames, retention } = context;
  const listening = { listen: store.listen, workflowNames: claimedNames };
  return startLoop({ slots, host, logger, work, retention, ...listening, ...options });
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
