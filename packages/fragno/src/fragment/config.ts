/** Options of the fragment. */
import type { FragnoPublicConfigWithDatabase } from "@fragno-dev/db/fragment-definition-builder";
import type { EngineOptions, EngineService, WorkflowsRegistry } from "@escapement/engine";
import type { ErrorRecord } from "@escapement/engine/internal";
import type { FragnoRuntime } from "./runtime.ts";

/** What the hook reports. A `restart` has the reason `create`. */
export interface WorkflowEnqueued {
  /** Empty if a topic has a message to deliver; `instanceId` is then the topic. */
  readonly workflowName: string;
  readonly instanceId: string;
  /** `retry`: the next attempt of a step is due. `wake`: a sleep has ended, or the deadline of a wait has passed. */
  readonly reason: "create" | "event" | "resume" | "retry" | "wake";
}

/** A call of a hook. */
export interface HookCall {
  /** The same for every try of a hook. */
  readonly idempotencyKey: string;
  /** Aborted when the hook has timed out (`hookTimeoutMs` of the processor). Pass it to `fetch`. */
  readonly signal: AbortSignal;
}

/** A run that has ended. */
export interface WorkflowTerminal {
  /** Identifies this end: the same for every try, and different for every other end. */
  readonly terminalTransitionId: string;
  readonly workflowName: string;
  readonly instanceId: string;
  /** Row id of the instance. */
  readonly instanceRef: string;
  /** A failed run may be continued by `retry`, and end again. */
  readonly runNumber: number;
  readonly status: "complete" | "errored" | "terminated";
  /** The params of the run, as parsed by their schema. */
  readonly params: unknown;
  /** The output, if it completed and has one. */
  readonly output?: unknown;
  /** The error, if it failed. For a run that was asked to end: the error that its code ended with. */
  readonly error?: ErrorRecord;
}

/** A run that a restart began: by `restart`, or by a call that creates or restarts. */
export interface WorkflowRestarted {
  readonly workflowName: string;
  readonly instanceId: string;
  /** Row id of the instance. */
  readonly instanceRef: string;
  readonly previousRunNumber: number;
  readonly runNumber: number;
}

/** A callback that is called until it succeeds. A promise is awaited, and a failure is tried again by the hook's retry policy. */
export type OnWorkflow<T> = (told: T, call: HookCall) => unknown;

/** What a dispatcher gets besides the hint: the engine, and the key and signal of the hook. */
export interface WorkflowEnqueuedContext extends HookCall {
  /** The fragment's engine, to call `tick`. */
  readonly engine: Pick<EngineService, "tick">;
}

/**
 * A dispatcher, which makes a tick happen. A promise is awaited. If it throws or rejects, the hook is tried again by its
 * retry policy.
 */
export type OnWorkflowEnqueued = (
  enqueued: WorkflowEnqueued,
  context: WorkflowEnqueuedContext,
) => unknown;

/** Options of the workflows fragment: workflows, limits and platform. */
export interface WorkflowsFragmentConfig<
  TRegistry extends WorkflowsRegistry = WorkflowsRegistry,
> extends Omit<EngineOptions<TRegistry>, "store" | "http" | "stepTransactions"> {
  /** Time and random numbers: `defaultFragnoRuntime`, except in tests. `host` takes precedence. */
  readonly runtime: FragnoRuntime;
  /** Authorization, tick secrets and limits of the routes. Their mount route is an option of Fragno. */
  readonly http?: Omit<NonNullable<EngineOptions<TRegistry>["http"]>, "mountRoute">;
  /**
   * Called by a durable hook for every start, event, message to a topic, resumption, retry, sleep and wait. The hook is filed
   * in the same transaction, and runs after the commit, outside of the request, until it succeeds; for what is due later, at
   * that time. If an event ends a wait before its deadline, the hook of the deadline still runs.
   *
   * The engine does not need it: the processor or any tick finds the task's row, and this process is told at once. Use it to
   * wake something else. On Fragno's own adapters, no hooks are filed for what is due later; `tick` returns `nextWakeInMs`,
   * and `platform.wakeIn` is called.
   *
   * @default no hooks are filed
   */
  readonly onWorkflowEnqueued?: OnWorkflowEnqueued;
  /**
   * Called for each end of a run. Its hook is filed by the commit that ends the run, so exactly once, even if processes are
   * killed. It runs after that commit, outside of the request. Ends by `engine.with`, by `engine.fetch` and by processes
   * without this fragment are not reported.
   *
   * @default no hooks are filed
   */
  readonly onWorkflowTerminal?: OnWorkflow<WorkflowTerminal>;
  /**
   * Called in the same way for each run that a restart begins.
   *
   * @default no hooks are filed
   */
  readonly onWorkflowRestarted?: OnWorkflow<WorkflowRestarted>;
}

/** Fragno's options: the adapter, and where the routes are mounted. */
export type WorkflowsFragmentOptions = FragnoPublicConfigWithDatabase;
