/** The engine that an application creates: bindings, the HTTP handler, ticks and loops on one store. */
import type { Bindings } from "../authoring/bound-types.ts";
import { createFind, type FindWorkflow } from "../authoring/find-workflow.ts";
import type { WorkflowsRegistry } from "../authoring/registry.ts";
import { toLogFields, WorkflowError } from "../core/errors.ts";
import { late, loadAll } from "../core/late.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { DurationMs } from "../core/model/records.ts";
import { prepareFetchHandler } from "../http/fetch-handler.ts";
import type { Platform } from "../ports/platform.ts";
import type { EngineService } from "../ports/service.ts";
import { Prefetch } from "../process/prefetch.ts";
import { type RunningLoop, startLoop } from "../process/loop.ts";
import { findNextWake, type NextWake } from "../process/next-wake.ts";
import { assertEngineOptions, type EngineOptions } from "./engine-options.ts";
import { reserveForTick } from "./reserve-for-tick.ts";
import type { ExportChunks, MovedFamily } from "../ports/move.ts";
import type { LifecycleEvent, LifecycleListener } from "../ports/lifecycle.ts";
import { assertListeners } from "./listeners.ts";
import { createLateBindings, createLateMissing, createLateVerbs } from "./late-verbs.ts";
import { type EngineWithin, openWithin } from "./within.ts";
import type { CallersTransaction } from "../ports/transaction.ts";
import { type HostContext, toHostContext } from "./context.ts";
import { createParts, type Parts } from "./parts.ts";

const listing = late(() => import("./list.ts"));
const finding = late(() => import("./find-instances.ts"));
const counting = late(() => import("./count-instances.ts"));
const overview = late(() => import("./overview.ts"));
const imports = late(() => import("./import-instances.ts"));
const bulk = late(() => import("./bulk.ts"));
const exporting = late(() => import("./export-instance.ts"));

/** An engine: workflows on one store, with their bindings, the HTTP API, ticks and loops. */
export interface Engine<
  TRegistry extends WorkflowsRegistry = WorkflowsRegistry,
  TPlatform extends Platform | undefined = Platform | undefined,
> extends EngineService {
  /** Your workflows by the keys that you registered them under: `engine.workflows.ORDER.create({ params })`. */
  readonly workflows: Bindings<TRegistry>;
  /** The platform that it was created with; undefined: none. */
  readonly platform: TPlatform;
  /** The HTTP API as a fetch handler. It answers 401 until you set `http.authorizeRequest`. */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Returns the engine's methods within your own transaction on the store's database, which commit and roll back with it: `const within =
   * engine.with(tx); await within.workflows.ORDER.create({ params })`. Give it the
   * `tx` of Drizzle or Prisma, the `trx` of Kysely, or a connection on which you sent `begin`. After the commit, call
   * `within.committed()`, so that the work starts at once and not with the next poll.
   *
   * @throws TRANSACTION_UNUSABLE — the store is not on a SQL database; the methods throw it if `transaction` is not an open
   *   transaction of that database, and TRANSACTION_CONFLICT if you have to try the whole transaction again
   */
  with(transaction: CallersTransaction): EngineWithin<TRegistry>;
  /**
   * Calls your function when something happens in this process: `engine.on("attemptFailed", ({ stepKey, error }) => …)`.
   * Nothing waits for it, and what it throws is logged.
   *
   * @returns a function that stops it
   * @throws UNKNOWN_OPTION — there is no such event
   */
  on<TEvent extends LifecycleEvent>(event: TEvent, listener: LifecycleListener<TEvent>): () => void;
  /**
   * Exports an instance with its history as lines of JSON: its runs with their steps and events, its stream, and its children
   * and theirs. All of them have to be paused or have ended. Pages are read as you ask for lines.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND
   * @throws INSTANCE_NOT_PAUSED — it is under way, or one of its children is, or the run that started it has not ended
   * @throws INSTANCE_CHANGED — it was resumed, or an event came for it, while it was read: what you have got is not an export
   * @throws BATCH_TOO_LARGE — it and those below it are more than 50 000
   * @throws IMPORT_INVALID — a record is stored as no import reads it: the row was written by something else, or is damaged
   * @throws PAYLOAD_TOO_LARGE — a record has more than 16 Mi characters, which limits that you have raised allow
   */
  export(workflowName: string, id: string): AsyncIterable<string>;
  /**
   * Creates instances from one export, or from several in a row. Each export is imported completely or not at all, with the
   * statuses that its instances had: paused, or ended. Call `closeMoved` in the store they come from before you resume them here.
   *
   * @throws IMPORT_INVALID — a line is not valid in an export; `details.line` says which
   * @throws INSTANCE_ID_ALREADY_EXISTS — an instance has the id of one of them
   * @throws WORKFLOW_NOT_FOUND — the engine does not have one of the workflows
   */
  import(chunks: ExportChunks): Promise<readonly MovedFamily[]>;
  /**
   * Ends the instances here whose exports you have imported into another store: those that are paused become `terminated`.
   * Call it before you resume them there.
   *
   * @returns what was ended; an `instanceCount` of 0: it had ended already, or was deleted
   * @throws INSTANCE_CHANGED — one was resumed since, or got an event. Delete what you imported, and export it again
   * @throws IMPORT_INVALID — as `import`
   */
  closeMoved(chunks: ExportChunks): Promise<readonly MovedFamily[]>;
  /**
   * Returns when the next work is due, and why; null: nothing will be due by itself. One trip, which claims nothing. @throws
   * STORE_UNAVAILABLE
   */
  nextWake(): Promise<NextWake | null>;
  /**
   * Runs what is due in this process, until you call `stop` of what it returns. What this process creates runs at once.
   * Platforms with a loop (Node, Bun) call it for you.
   *
   * @param options.pollMs the longest time between two looks at the database, in milliseconds @default 5000
   * @throws {WorkflowError} STORE_UNAVAILABLE after `close`
   */
  startLoop(options?: { readonly pollMs?: DurationMs }): RunningLoop;
  /**
   * Stops its loops like `RunningLoop.stop`, which waits up to 10 seconds for the runs that they hold, and then closes the store. Its
   * connections end, so the process can exit.
   */
  close(): Promise<void>;
}

/** An engine and its parts, for rooms that extend it. */
export interface HostedEngine<
  TRegistry extends WorkflowsRegistry,
  TPlatform extends Platform | undefined = Platform | undefined,
> {
  readonly engine: Engine<TRegistry, TPlatform>;
  readonly parts: Parts & { readonly context: HostContext; readonly find: FindWorkflow };
}

/**
 * Creates an engine on a store, and attaches it to its platform.
 *
 * ```ts
 * import { sqlite } from "@escapement/engine/sqlite";
 * const echo = defineWorkflow({ name: "echo" }, async (event) => event.payload);
 * const engine = createEngine({ workflows: { echo }, store: sqlite("data.db") });
 * const loop = engine.startLoop(); // or the `platform` of an adapter, which starts it for you
 * const instance = await engine.workflows.echo.create({ params: "hello" });
 * console.log(await instance.result());
 * ```
 *
 * It connects and runs nothing until you ask it to: instances that you create stay `queued` until something ticks.
 *
 * @throws {WorkflowError} WORKFLOW_INVALID, INVALID_WORKFLOW_NAME — a workflow; STORE_OPTIONS_INVALID — no store; UNKNOWN_OPTION,
 *   INVALID_DURATION, INVALID_RETRY_POLICY, INVALID_TOPIC, RUNNER_ID_INVALID — an option; DEPLOY_OPTIONS_INVALID — a secret, or an option
 *   of `http`. The database is not asked yet
 */
export function createEngine<
  const TRegistry extends WorkflowsRegistry,
  TPlatform extends Platform | undefined = undefined,
>(options: EngineOptions<TRegistry, TPlatform>): Engine<TRegistry, NoInfer<TPlatform>> {
  return hostEngine(options).engine;
}

/** What an engine can be asked, its lists included. */
function createService({
  service,
  context,
  find,
}: HostedEngine<WorkflowsRegistry>["parts"]): EngineService {
  return {
    ...service,
    listInstances: async (name, input) =>
      (await listing()).listInstances(context, find(name), input),
    findInstances: async (input) => (await finding()).findInstances(context, input),
    countInstances: async (input) => (await counting()).countInstances(context, input),
    measureActivity: async (input) => (await overview()).measureActivity(context, input),
    listLeases: async (input) => (await overview()).listLeases(context, input),
    listCallbacks: async (input) => (await overview()).listCallbacks(context, input),
    previewBulk: async (input) => (await bulk()).previewBulk(context, input),
    startBulk: async (input) => (await bulk()).startBulk(context, input),
    getBulk: async (id) => (await bulk()).getBulk(context, id),
    listBulks: async (input) => (await bulk()).listBulks(context, input),
    cancelBulk: async (id) => (await bulk()).cancelBulk(context, id),
    listHistory: async (name, id, input) =>
      (await listing()).listHistory(context, find(name), { id, input }),
  };
}

/** As `createEngine`. */
export function hostEngine<
  const TRegistry extends WorkflowsRegistry,
  TPlatform extends Platform | undefined = Platform | undefined,
>(options: EngineOptions<TRegistry, TPlatform>): HostedEngine<TRegistry, TPlatform> {
  assertEngineOptions(options);
  const loops = new Set<RunningLoop>();
  let isClosed = false;
  const parts = createParts(options, {
    createVerbs: createLateVerbs,
    createBindings: createLateBindings,
    createMissingBinding: createLateMissing,
    reserveSlot: (reason) =>
      prefetch.reserve() ?? reserveForTick(context, options.platform, reason),
    reserveChild: () => prefetch.reserve(),
  });
  const context = toHostContext(parts.context);
  const find = createFind(context);
  const prefetch = new Prefetch(context, () => loops.size > 0);
  const service = createService({ ...parts, context, find });
  const http = createHttp(service, context, options);
  const engine: Engine<TRegistry, TPlatform> = {
    ...service,
    workflows: parts.bindings as Bindings<TRegistry>,
    platform: options.platform as TPlatform,
    get fetch() {
      return http();
    },
    with: (transaction) => openWithin(context, transaction) as EngineWithin<TRegistry>,
    on: (event, listener) => {
      assertListeners({ [event]: listener });
      return context.lifecycle.on(event, listener);
    },
    export: (name, id) => exportLazily(context, name, id),
    import: async (chunks) => (await imports()).importInstances(context, find, chunks),
    closeMoved: async (chunks) => (await imports()).closeMoved(context, chunks),
    nextWake: () => findNextWake(context),
    startLoop: (loopOptions = {}) => {
      assertKnownOptions("startLoop", loopOptions, { pollMs: 1 });
      if (isClosed) throw new WorkflowError("STORE_UNAVAILABLE", "the engine is closed");
      return trackLoop(loops, startPartsLoop(parts, { prefetch, ...loopOptions }));
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...loops].map((loop) => loop.stop()));
      context.slots.shutDown();
      await context.store.close();
    },
  };
  options.platform?.attach?.(engine);
  return { engine, parts: { ...parts, context, find } };
}

async function* exportLazily(
  context: HostContext,
  workflowName: string,
  id: string,
): AsyncGenerator<string, void, undefined> {
  yield* (await exporting()).exportInstance(context, createFind(context)(workflowName), id);
}

type HttpParts = Pick<EngineOptions<WorkflowsRegistry>, "http" | "platform" | "telemetry">;

/** Creates the handler. Which routes are open is logged on first use, because many engines serve no HTTP. */
function createHttp(
  service: EngineService,
  { logger, limits: { maxBatchSize } }: HostContext,
  { http, platform, telemetry }: HttpParts,
): () => Engine["fetch"] {
  const options = { logger, ...http, limits: { maxBatchSize, ...http?.limits } };
  const { handler, warn } = prepareFetchHandler(service, options, platform);
  const fetch = telemetry?.wrapFetch(handler) ?? handler;
  let hasWarned = false;
  return () => {
    if (!hasWarned) warn();
    hasWarned = true;
    return fetch;
  };
}

function startPartsLoop(
  { context, work }: Parts,
  options: { readonly prefetch: Prefetch; readonly pollMs?: DurationMs },
): RunningLoop {
  const { slots, host, logger, store, claimedNames, retention } = context;
  const listening = { listen: store.listen, workflowNames: claimedNames };
  loadAll().catch((error: unknown) => logger.log("warn", "loop.code_missing", toLogFields(error)));
  return startLoop({ slots, host, logger, work, retention, ...listening, ...options });
}

/** Tracks running loops: while one runs, instances that are created here run here. */
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
