/** What a host says when it creates the fragment. */
import type { FragnoPublicConfigWithDatabase } from "@fragno-dev/db/fragment-definition-builder";
import type { EngineOptions, EngineService, WorkflowsRegistry } from "@escapement/engine";
import type { FragnoRuntime } from "./runtime.ts";

/** What a hook tells. `restart` begins a run as `create` does. */
export interface WorkflowEnqueued {
  readonly workflowName: string;
  readonly instanceId: string;
  /** `retry`: the next attempt of a step is due. `wake`: a sleep, or the deadline of a wait, is over. */
  readonly reason: "create" | "event" | "resume" | "retry" | "wake";
}

/** What a dispatcher is given beside the hint: the engine to tick, and the hook's key and time. */
export interface WorkflowEnqueuedContext {
  /** The fragment's engine, to tick it. */
  readonly engine: Pick<EngineService, "tick">;
  /** The same for each try of one hook. */
  readonly idempotencyKey: string;
  /** Aborted when the hook has used up its time: see `hookTimeoutMs` of the processor. Pass it to `fetch`. */
  readonly signal: AbortSignal;
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
   * Files a durable hook with every start, wake-up by an event, resumption, retry, sleep and wait, in the transaction that
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
}

/** Fragno's options: the adapter, and where the routes are mounted. */
export type WorkflowsFragmentOptions = FragnoPublicConfigWithDatabase;
