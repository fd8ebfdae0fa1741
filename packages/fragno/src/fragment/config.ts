/** What a host says when it creates the fragment. */
import type { FragnoPublicConfigWithDatabase } from "@fragno-dev/db/fragment-definition-builder";
import type { EngineOptions, EngineService, WorkflowsRegistry } from "@escapement/engine";
import type { ErrorRecord } from "@escapement/engine/internal";
import type { FragnoRuntime } from "./runtime.ts";

/** What a hook tells. `restart` begins a run as `create` does. */
export interface WorkflowEnqueued {
  /** Empty: a topic, which `instanceId` names, has a message to be handed on. */
  readonly workflowName: string;
  readonly instanceId: string;
  /** `retry`: the next attempt of a step is due. `wake`: a sleep, or the deadline of a wait, is over. */
  readonly reason: "create" | "event" | "resume" | "retry" | "wake";
}

/** What a call of a hook is known by. */
export interface HookCall {
  /** The same for each try of one hook. */
  readonly idempotencyKey: string;
  /** Aborted when the hook has used up its time: see `hookTimeoutMs` of the processor. Pass it to `fetch`. */
  readonly signal: AbortSignal;
}

/** A run that has ended. */
export interface WorkflowTerminal {
  /** Of this end: each try of telling it has the same, no other end has it. */
  readonly terminalTransitionId: string;
  readonly workflowName: string;
  readonly instanceId: string;
  /** Row id of the instance. */
  readonly instanceRef: string;
  /** A run that failed may go on, by `retry`, and end again. */
  readonly runNumber: number;
  readonly status: "complete" | "errored" | "terminated";
  /** Of the run, as their schema parsed them. */
  readonly params: unknown;
  /** Where it is complete and has one. */
  readonly output?: unknown;
  /** Where it is errored; of one that was asked to end, what its code ended with. */
  readonly error?: ErrorRecord;
}

/** A run that was begun anew: by `restart`, or by a call that creates or restarts. */
export interface WorkflowRestarted {
  readonly workflowName: string;
  readonly instanceId: string;
  /** Row id of the instance. */
  readonly instanceRef: string;
  readonly previousRunNumber: number;
  readonly runNumber: number;
}

/** Told of something, until it succeeds: a promise is awaited, and what fails is tried again by the hook's retry policy. */
export type OnWorkflow<T> = (told: T, call: HookCall) => unknown;

/** What a dispatcher is given beside the hint: the engine to tick, and the hook's key and time. */
export interface WorkflowEnqueuedContext extends HookCall {
  /** The fragment's engine, to tick it. */
  readonly engine: Pick<EngineService, "tick">;
}

/** A dispatcher: makes a tick happen. A promise is awaited. When it throws or rejects, the hook is tried again by its retry policy. */
export type OnWorkflowEnqueued = (
  enqueued: WorkflowEnqueued,
  context: WorkflowEnqueuedContext,
) => unknown;

/** Workflows, limits and the platform of a fragment. */
export interface WorkflowsFragmentConfig<
  TRegistry extends WorkflowsRegistry = WorkflowsRegistry,
> extends Omit<EngineOptions<TRegistry>, "store" | "http" | "stepTransactions"> {
  /** Time and randomness. `defaultFragnoRuntime` for anything but tests; `host` goes before it. */
  readonly runtime: FragnoRuntime;
  /** Authorization, tick secrets and limits of the routes; where they are mounted is Fragno's option. */
  readonly http?: Omit<NonNullable<EngineOptions<TRegistry>["http"]>, "mountRoute">;
  /**
   * Files a durable hook with every start, wake-up by an event, message to a topic, resumption, retry, sleep and wait, in the transaction that
   * makes it so, and is called by it after the commit, off the request's time, until it succeeds; for what comes due by
   * time, then. A wait that an event ends before its deadline leaves its hook, which runs for nothing.
   *
   * The engine needs none: the task's row is its outbox, the processor or any tick finds it, and this process is told at
   * once. Ask for hooks to wake something else. On Fragno's own adapters none are filed for what comes due by time; `tick`
   * answers with `nextWakeInMs`, and `platform.wakeIn` is asked.
   *
   * @default no hooks are filed
   */
  readonly onWorkflowEnqueued?: OnWorkflowEnqueued;
  /**
   * Told of each end of a run. Its hook is filed by the very commit that ends the run, so once, whatever is killed; it runs behind
   * that, off everybody's time. Ends by `engine.with`, by `engine.fetch` and by processes without this fragment are not told.
   *
   * @default no hooks are filed
   */
  readonly onWorkflowTerminal?: OnWorkflow<WorkflowTerminal>;
  /**
   * Told of each run that is begun anew, in the same way.
   *
   * @default no hooks are filed
   */
  readonly onWorkflowRestarted?: OnWorkflow<WorkflowRestarted>;
}

/** Fragno's options: the adapter, and where the routes are mounted. */
export type WorkflowsFragmentOptions = FragnoPublicConfigWithDatabase;
