/** The parts of every engine: registry, slots, commits, bindings and ticks, built around the verbs that it brings. */
import {
  createRegistry,
  type RegisteredWorkflow,
  type WorkflowsRegistry,
} from "../authoring/registry.ts";
import type { Topic } from "../authoring/topic.ts";
import { type Limits, parseRunnerId, RUN_LIMITS } from "../core/limits.ts";
import type { DurationMs, RunRef } from "../core/model/records.ts";
import { toStorableText } from "../core/storable-text.ts";
import type { Retention } from "../core/retention.ts";
import { TOPIC_TASKS } from "../core/engine-names.ts";
import type { Host } from "../ports/host.ts";
import type { LifecycleListeners } from "../ports/lifecycle.ts";
import type { Logger } from "../ports/logger.ts";
import { toSafeLogger } from "../ports/safe-logger.ts";
import type { Platform, WakeHint } from "../ports/platform.ts";
import type { CoreService } from "../ports/service.ts";
import type { Store } from "../ports/store.ts";
import { createCommits } from "../process/commits.ts";
import { createRetention } from "../process/late-retention.ts";
import { SlotLimit } from "../process/slot-limit.ts";
import { Slots } from "../process/slots.ts";
import { createSignal, type Signal } from "../process/signal.ts";
import type { RunContext } from "../run/context.ts";
import type { EngineCallbackOptions } from "../run/callback-options.ts";
import { createLifecycle } from "../run/lifecycle.ts";
import type { Telemetry } from "../run/telemetry.ts";
import type { StepTransactions } from "../run/other-table-writes.ts";
import type { RedactError } from "../run/step-error.ts";
import { runReportedTick } from "../process/reported-tick.ts";
import { createWebHost, PROCESS_LENGTH } from "../process/web-host.ts";
import type { AwaitResult, createBindings, createMissingBinding } from "./bindings.ts";
import { createBulkWorkflow } from "./bulk-workflow.ts";
import type { EngineContext, ReserveSlot } from "./context.ts";
import { tryWake } from "../drive/drive.ts";
import { createConsoleLogger } from "../process/console-logger.ts";
import { createMissingBindings } from "./missing-binding.ts";
import type { createVerbs } from "./verbs.ts";

/** The options that all engines have. */
export interface PartsOptions<
  TRegistry extends WorkflowsRegistry,
  TPlatform extends Platform | undefined = Platform | undefined,
> {
  /** Workflows by the names you call them by: `{ ORDER: order }` gives `engine.workflows.ORDER`. Tables and URLs have `order.name`. */
  readonly workflows: TRegistry;
  /** Where instances are kept: `postgres(url)`, `sqlite(file)` or another call of this package's entries. */
  readonly store: Store;
  /** Topics that workflows and callers may emit to and wait for. @default none */
  readonly topics?: readonly Topic[];
  /** Passed to class workflows as `this.env`. @default an empty object */
  readonly env?: unknown;
  /**
   * The largest sizes, counts and times that are allowed: `{ maxStepResultBytes: 4_194_304 }`. Those that you omit keep their
   * defaults, such as 1 MiB for a result.
   */
  readonly limits?: Partial<Limits>;
  /**
   * Gets log lines: `{ log: (level, event, fields) => … }`, or `createConsoleLogger("info")`.
   * @default warnings and errors as JSON lines on the console
   */
  readonly logger?: Logger;
  /**
   * Functions that are called about runs, attempts, waits, claims and ticks, as by `engine.on`: `{ attemptFailed: ({ stepKey, error }) =>
   * … }`. @default none
   */
  readonly listeners?: LifecycleListeners;
  /** Traces what happens: `openTelemetry()` of `@escapement/otel`. Create one for each engine. @default no traces */
  readonly telemetry?: Telemetry | undefined;
  /** Timers, ids and random numbers of the runtime that are better than those of Web APIs. @default Web APIs */
  readonly host?: Partial<Host>;
  /**
   * The platform: keeps this process alive and wakes it. It is attached to the engine. @default due work is run by your calls
   * of `tick`, and by loops
   */
  readonly platform?: TPlatform;
  /**
   * A name of this process that is the same after a restart (a host name, a pod's ordinal). The restarted process takes over
   * the runs that it held, without waiting for their leases. No two processes may have the same name. 1–60 letters, digits,
   * `_`, `-`.
   * @default the leases of a process that died have to end
   */
  readonly runnerId?: string;
  /**
   * How long a claim holds without renewal, in milliseconds. It is renewed at a third of that. If a process dies, another one takes its
   * runs over after this time. @default 8000 @minimum 1000
   */
  readonly leaseMs?: DurationMs;
  /** How many runs this process advances at the same time. @default 32, and up to 128 while runs leave quickly @minimum 1 */
  readonly concurrency?: number;
  /**
   * How long a body is expected to take, in milliseconds, until one has taken longer: a tick with a deadline begins no further body that
   * would not fit. @default 5000
   */
  readonly expectedStepMs?: DurationMs;
  /**
   * The first part of every step's idempotency key. If two databases call the same services, give each its own, because their
   * workflows and instances may have the same names. Changing it changes the keys of steps that are under way.
   * @default none
   */
  readonly namespace?: string;
  /**
   * Removes from an error what must not be kept, such as personal data or texts of queries, before it is stored, logged and
   * shown. Fields that are named like credentials are always masked. Workflow code still catches the original error.
   * @default errors are stored as they are
   */
  readonly redactError?: RedactError;
  /**
   * Lets workflows call `step.callback`: `{ url: "https://acme.dev/api/workflows", signingKeys: [key] }`, each key at least 32 random
   * characters. @default `step.callback` throws CALLBACK_DISABLED, and its route is closed
   */
  readonly callbacks?: EngineCallbackOptions;
  /**
   * How long instances are kept after their end, unless the workflow's own `retention` says: `"30 days"`, or by how they
   * ended, `{ complete: "7 days", keepFailed: true }`. At least 1 minute. Ticks and loops then delete them in chunks, with their history and children. @default for ever
   */
  readonly retention?: Retention;
  /**
   * Enables bulk jobs: one command for many instances, run by the engine's own workflow `escapement-bulk`. Set it in every
   * process that runs workflows. @default bulk jobs throw BULK_DISABLED
   */
  readonly bulk?: boolean;
  /** Lets steps write into tables that are not the engine's. @default steps have no such writes */
  readonly stepTransactions?: StepTransactions | undefined;
}

export interface Parts {
  readonly context: EngineContext;
  readonly service: CoreService;
  readonly awaitResult: AwaitResult;
  readonly bindings: Readonly<Record<string, unknown>>;
  /** Signals that something has become due in this process. */
  readonly work: Signal<WakeHint>;
}

/** What differs between engines. */
export interface PartsChoice {
  /** See `EngineContext`. @default none is ever free */
  readonly reserveSlot?: ReserveSlot;
  /** See `RunContext`. @default none is ever free */
  readonly reserveChild?: RunContext["reserveChild"];
  readonly createVerbs: typeof createVerbs;
  readonly createBindings: typeof createBindings;
  readonly createMissingBinding: typeof createMissingBinding;
}

/**
 * Makes the parts.
 *
 * @throws {WorkflowError} WORKFLOW_INVALID, INVALID_WORKFLOW_NAME
 */
export function createParts(options: PartsOptions<WorkflowsRegistry>, choice: PartsChoice): Parts {
  const work = createSignal<WakeHint>();
  // A circle: workflow code needs the bindings, which need the service, which runs workflow code.
  const missing = createMissingBindings((key) =>
    choice.createMissingBinding(key, Object.keys(bindings)),
  );
  const bindings = Object.create(missing) as Record<string, never>;
  const { expectedStepMs = 5000, platform } = options;
  const store = platform?.trips?.count(options.store) ?? options.store;
  const { reserveSlot = () => null, reserveChild = () => null } = choice;
  const bulk = options.bulk === true ? createBulkWorkflow(() => context, platform?.trips) : null;
  const context: EngineContext = createContext(
    { ...options, store },
    { work, bindings, bulk, reserveSlot, reserveChild },
  );
  const tick = { context, slots: context.slots, work, expectedStepMs };
  const made = choice.createVerbs(context);
  const { awaitResult, ...verbs } = context.telemetry?.wrapVerbs(made) ?? made;
  const service: CoreService = {
    listWorkflows: () => [...context.registry.values()].map(({ name }) => ({ name })),
    ...verbs,
    tick: (input) => runReportedTick(tick, { tripsLeft: platform?.trips?.allow(), ...input }),
  };
  Object.assign(bindings, choice.createBindings({ ...service, awaitResult }, context.registry));
  context.telemetry?.attach(context.lifecycle);
  return { context, service, awaitResult, bindings, work };
}

/** The name of the process that is shown with the steps it runs. */
const toRunner = (
  { runnerId, platform }: Pick<PartsOptions<WorkflowsRegistry>, "runnerId" | "platform">,
  host: Host,
): string =>
  toStorableText(runnerId ?? (platform?.runner?.() || host.newId().slice(-PROCESS_LENGTH))).slice(
    0,
    100,
  );

interface Wiring {
  readonly work: Signal<WakeHint>;
  readonly bulk: RegisteredWorkflow | null;
  readonly reserveSlot: ReserveSlot;
  readonly reserveChild: RunContext["reserveChild"];
  readonly bindings: Readonly<Record<string, never>>;
}

function createContext(options: PartsOptions<WorkflowsRegistry>, wiring: Wiring): EngineContext {
  const { store, platform, leaseMs = 8000, env = {}, topics = [] } = options;
  const { stepTransactions, telemetry } = options;
  const written = options.logger ?? createConsoleLogger();
  const logger = toSafeLogger(telemetry?.wrapLogger(written) ?? written);
  const host = createWebHost(options.host);
  const limits = { ...RUN_LIMITS, ...options.limits };
  const registry = createRegistry(options.workflows, { env, limits });
  const all = [...registry.values(), ...(wiring.bulk === null ? [] : [wiring.bulk])];
  const isRetained = [options, ...all].some(({ retention }) => retention !== undefined);
  const commit = createCommits({ store, host, logger, leaseMs, enqueue: telemetry?.enqueue });
  const runner = {
    store,
    host,
    logger,
    lifecycle: createLifecycle({ logger, host }, options.listeners),
    telemetry,
    limits,
    leaseMs,
    runnerId: parseRunnerId(options.runnerId),
    runner: toRunner(options, host),
    namespace: options.namespace ?? "",
    callbacks: options.callbacks ?? null,
    redactError: options.redactError ?? null,
    registry,
    retention: isRetained
      ? createRetention({ store, host, logger }, { ofEngine: options.retention, workflows: all })
      : null,
    topics,
    bulk: wiring.bulk,
    claimedNames: [...all.map(({ name }) => name), ...(topics.length > 0 ? [TOPIC_TASKS] : [])],
    commit,
    reserveChild: wiring.reserveChild,
    noteDue: ({ workflowName, instanceId }: RunRef) =>
      wiring.work.emit({ workflowName, instanceId, reason: "event" }),
    stepTransactions,
    workflows: wiring.bindings,
  };
  return {
    ...runner,
    slots: new Slots(runner, new SlotLimit(options.concurrency ?? null)),
    reserveSlot: wiring.reserveSlot,
    wake: (hint, delayMs) => {
      wiring.work.emit(hint);
      if (platform === undefined) return;
      const wake = (): Promise<void> =>
        delayMs === undefined ? platform.wakeNow(hint) : platform.wakeIn(delayMs, hint);
      platform.defer(tryWake(wake, hint, logger));
    },
  };
}
