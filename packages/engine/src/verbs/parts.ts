/** What every engine is made of: registry, slots, commits, bindings and ticks, over the verbs that it brings. */
import {
  createRegistry,
  findWorkflow,
  type RegisteredWorkflow,
  type WorkflowsRegistry,
} from "../authoring/registry.ts";
import { createTopicRegistry, type Topic } from "../authoring/topic.ts";
import { DEFAULT_LIMITS, type Limits, parseRunnerId } from "../core/limits.ts";
import type { DurationMs, RunRef } from "../core/model/records.ts";
import { toStorableText } from "../core/storable-text.ts";
import { type Retention, toRetentionRules } from "../core/retention.ts";
import { TOPIC_TASKS } from "../core/topic.ts";
import type { Host } from "../ports/host.ts";
import type { LifecycleListeners } from "../ports/lifecycle.ts";
import type { Logger } from "../ports/logger.ts";
import { toSafeLogger } from "../ports/safe-logger.ts";
import type { Platform, WakeHint } from "../ports/platform.ts";
import type { CoreService } from "../ports/service.ts";
import type { Store } from "../ports/store.ts";
import { createCommits } from "../process/commits.ts";
import { Retention as RetentionPurges } from "../process/retention.ts";
import { SlotLimit } from "../process/slot-limit.ts";
import { Slots } from "../process/slots.ts";
import { createSignal, type Signal } from "../process/signal.ts";
import type { RunContext } from "../run/context.ts";
import { Lifecycle } from "../run/lifecycle.ts";
import type { Telemetry } from "../run/telemetry.ts";
import type { StepTransactions } from "../run/other-table-writes.ts";
import type { RedactError } from "../run/step-error.ts";
import { runToldTick } from "../process/told-tick.ts";
import { createWebHost } from "../process/web-host.ts";
import type { AwaitResult, createBindings } from "./bindings.ts";
import { createBulkWorkflow } from "./bulk-workflow.ts";
import { type EngineCallbackOptions, parseCallbacks } from "./callback-options.ts";
import type { HostContext, ReserveSlot } from "./context.ts";
import { tryWake } from "../drive/drive.ts";
import { createConsoleLogger } from "../process/console-logger.ts";
import type { createVerbs } from "./verbs.ts";

/** What every engine takes. */
export interface PartsOptions<TRegistry extends WorkflowsRegistry> {
  /** Workflows by binding key. */
  readonly workflows: TRegistry;
  readonly store: Store;
  /** Topics that workflows and callers may emit to and wait for. @default there are none */
  readonly topics?: readonly Topic[];
  /** Given to class workflows as `this.env`. */
  readonly env?: unknown;
  readonly limits?: Partial<Limits>;
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
  /** Told of runs, attempts, waits, claims and ticks, as by `engine.on`. @default nobody is */
  readonly listeners?: LifecycleListeners;
  /** Follows what happens with spans: `openTelemetry()` of `@escapement/otel`. One for each engine. @default nothing does */
  readonly telemetry?: Telemetry | undefined;
  /** A runtime's better timers, ids and chance. @default Web APIs */
  readonly host?: Partial<Host>;
  /** How this process is kept alive and woken. It is attached to the engine. @default work due is ticked by whoever asks, and by loops */
  readonly platform?: Platform;
  /**
   * Name of this process that outlives it (a host name, a pod's ordinal): once it is back, it takes the runs over that it
   * held at its end, and waits for no lease. No two processes may have the same. 1–60 letters, digits, `_`, `-`.
   * @default leases of a process that died end by themselves
   */
  readonly runnerId?: string;
  /** How long a claim holds without renewal, in milliseconds; renewed at a third of it. @default 8000 @minimum 1000 */
  readonly leaseMs?: DurationMs;
  /** Runs advanced at once by this process. @default 32, and up to 128 while runs leave quickly @minimum 1 */
  readonly concurrency?: number;
  /** How long a body is expected to take, for ticks with a deadline, in milliseconds. @default 5000 */
  readonly expectedStepMs?: DurationMs;
  /**
   * First part of every step's idempotency key. Give each database its own where two of them call the same services, as
   * their workflows and instances may have the same names. Changing it changes the keys of steps that are under way.
   * @default none
   */
  readonly namespace?: string;
  /**
   * Takes what must not be kept out of an error before it is stored, logged and shown: personal data, query texts.
   * Fields that are named like credentials are masked without it. Author code still catches the error as it was.
   * @default errors are kept as they are
   */
  readonly redactError?: RedactError;
  /** Lets workflows call `step.callback`. @default calls of it are refused, and its route is closed */
  readonly callbacks?: EngineCallbackOptions;
  /**
   * How long instances stay after their end, for workflows that say nothing of their own: `"30 days"`, or by how they ended. Ticks and
   * loops then delete them with their history and children, in chunks. @default for ever
   */
  readonly retention?: Retention;
  /**
   * Runs bulk jobs: one command for many instances, carried out by a workflow of the engine's own, `escapement-bulk`. To be set in every
   * process that runs workflows. @default they are refused
   */
  readonly bulk?: boolean;
  /** Lets steps write into tables that are not the engine's. @default steps have no such writes */
  readonly stepTransactions?: StepTransactions | undefined;
}

export interface Parts {
  readonly context: HostContext;
  readonly service: CoreService;
  readonly awaitResult: AwaitResult;
  readonly bindings: Readonly<Record<string, unknown>>;
  /** Something came due in this process. */
  readonly work: Signal<WakeHint>;
  readonly find: (workflowName: string) => RegisteredWorkflow;
}

/** What engines differ in. */
export interface PartsChoice {
  /** See `HostContext`. @default none is ever free */
  readonly reserveSlot?: ReserveSlot;
  /** See `RunContext`. @default none is ever free */
  readonly reserveChild?: RunContext["reserveChild"];
  readonly createVerbs: typeof createVerbs;
  readonly createBindings: typeof createBindings;
}

/**
 * Makes the parts.
 *
 * @throws {WorkflowError} WORKFLOW_INVALID, INVALID_WORKFLOW_NAME
 */
export function createParts(options: PartsOptions<WorkflowsRegistry>, choice: PartsChoice): Parts {
  const work = createSignal<WakeHint>();
  // Workflow code needs the bindings, which need the service, which runs workflow code.
  const bindings: Record<string, never> = {};
  const { expectedStepMs = 5000, platform } = options;
  const store = platform?.trips?.count(options.store) ?? options.store;
  const { reserveSlot = () => null, reserveChild = () => null } = choice;
  const bulk = options.bulk === true ? createBulkWorkflow(() => context, platform?.trips) : null;
  const context: HostContext = createContext(
    { ...options, store },
    { work, bindings, bulk, reserveSlot, reserveChild },
  );
  const find = (name: string): RegisteredWorkflow => findWorkflow(context.registry, name);
  const tick = { context, slots: context.slots, work, expectedStepMs };
  const made = choice.createVerbs(context, find);
  const { awaitResult, ...verbs } = context.telemetry?.wrapVerbs(made) ?? made;
  const service: CoreService = {
    listWorkflows: () => [...context.registry.values()].map(({ name }) => ({ name })),
    ...verbs,
    tick: (input) => runToldTick(tick, { tripsLeft: platform?.trips?.allow(), ...input }),
  };
  Object.assign(bindings, choice.createBindings({ ...service, awaitResult }, context.registry));
  context.telemetry?.attach(context.lifecycle);
  return { context, service, awaitResult, bindings, work, find };
}

/** What the process is called in the steps that it runs. */
const toRunner = (
  { runnerId, platform }: Pick<PartsOptions<WorkflowsRegistry>, "runnerId" | "platform">,
  host: Host,
): string =>
  toStorableText(runnerId ?? (platform?.runner?.() || host.newId().slice(-10))).slice(0, 100);

interface Wiring {
  readonly work: Signal<WakeHint>;
  readonly bulk: RegisteredWorkflow | null;
  readonly reserveSlot: ReserveSlot;
  readonly reserveChild: RunContext["reserveChild"];
  readonly bindings: Readonly<Record<string, never>>;
}

function createContext(options: PartsOptions<WorkflowsRegistry>, wiring: Wiring): HostContext {
  const { store, platform, leaseMs = 8000, env = {}, stepTransactions, telemetry } = options;
  const written = options.logger ?? createConsoleLogger();
  const logger = toSafeLogger(telemetry?.wrapLogger(written) ?? written);
  const host = createWebHost(options.host);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const registry = createRegistry(options.workflows, { env, limits });
  const retained = [...registry.values(), ...(wiring.bulk === null ? [] : [wiring.bulk])];
  const rules = toRetentionRules(retained, options.retention);
  const topics = createTopicRegistry(options.topics ?? [], limits);
  const commit = createCommits({ store, host, logger, leaseMs });
  const runner = {
    store,
    host,
    logger,
    lifecycle: new Lifecycle({ logger, host }, options.listeners, telemetry),
    telemetry,
    limits,
    leaseMs,
    runnerId: parseRunnerId(options.runnerId),
    runner: toRunner(options, host),
    namespace: options.namespace ?? "",
    callbacks: parseCallbacks(options.callbacks, options.namespace ?? ""),
    redactError: options.redactError ?? null,
    registry,
    retention: rules.length === 0 ? null : new RetentionPurges({ store, host, logger }, rules),
    topics,
    bulk: wiring.bulk,
    claimedNames: [
      ...registry.keys(),
      ...(topics.size > 0 ? [TOPIC_TASKS] : []),
      ...(wiring.bulk === null ? [] : [wiring.bulk.name]),
    ],
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
