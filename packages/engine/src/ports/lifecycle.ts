/** What listeners are told of runs, attempts, waits, claims and ticks. Payloads are in none of it. */
import type { DurationMs, EpochMs, ErrorRecord, RunRef } from "../core/model/records.ts";
import type { StepType } from "../core/model/status.ts";

/** What every event of a run has. */
interface OfRun extends RunRef {
  /** When it came about: database time, epoch milliseconds. */
  readonly at: EpochMs;
}

interface OfAttempt extends OfRun {
  readonly stepKey: string;
  /** From 1. */
  readonly attempt: number;
}

interface OfWait extends OfRun {
  readonly stepKey: string;
  /** `sleep`, `waitForEvent`, `receive`, `waitForTopic` or `invoke`. */
  readonly type: StepType;
}

/**
 * What `engine.on` and the option `listeners` may name, and what a listener of it is told.
 *
 * An event comes after the commit that makes it true, from the process that made it; replay tells nothing. It is a hint: it is
 * lost with its process, and what calls inside a transaction of yours or in a fragment create is not told.
 */
export interface LifecycleEvents {
  /** An instance was created: by a call, or by a step of its parent. A create repeated by its idempotency key may tell it again. */
  readonly instanceCreated: OfRun;
  /** A run was claimed for the first time: its code begins. */
  readonly instanceStarted: OfRun & { readonly createdAt: EpochMs };
  /** The run waits, and no process holds it. `dueAt`: when time ends that, epoch milliseconds; null: only an event or a child does. */
  readonly instanceParked: OfRun & { readonly dueAt: EpochMs | null };
  /** The run ended. `durationMs`: since its first claim; null: it had none, or another process knows. */
  readonly instanceEnded: OfRun & {
    readonly status: "complete" | "errored" | "terminated";
    /** As it is stored: after `redactError`. */
    readonly error: ErrorRecord | null;
    readonly durationMs: DurationMs | null;
  };
  /** The run failed and begins again, as `runRetries` says. `retryCount`: how often it had before. */
  readonly runFailed: OfRun & { readonly error: ErrorRecord; readonly retryCount: number };
  /** This process took the run: it holds it until `runLeft`. `lostLeases`: how many processes in a row died of it, or with it. */
  readonly runClaimed: OfRun & { readonly isFirst: boolean; readonly lostLeases: number };
  /** This process holds the run no more. `lost`: its lease ended before it could commit. */
  readonly runLeft: RunRef & {
    readonly end: "parked" | "released" | "paused" | "complete" | "errored" | "terminated" | "lost";
  };
  /** The body of a `step.do` begins. */
  readonly attemptStarted: OfAttempt & { readonly maxAttempts: number };
  /** It threw, timed out, or returned what cannot be stored. `willRetryInMs`: null: it was the last attempt. */
  readonly attemptFailed: OfAttempt & {
    readonly maxAttempts: number;
    readonly willRetryInMs: DurationMs | null;
    /** As it is stored: after `redactError`. */
    readonly error: ErrorRecord;
  };
  /** It returned, and its result is stored. */
  readonly attemptSucceeded: OfAttempt;
  /** A step waits. `dueAt`: as of `instanceParked`. */
  readonly waitBegun: OfWait & { readonly dueAt: EpochMs | null };
  /** It waits no more. */
  readonly waitEnded: OfWait & {
    /** `cancelled`: it lost a race, or nobody waits for it any more. */
    readonly status: "completed" | "errored" | "cancelled";
    /** Such as EVENT_TIMEOUT; null: none. */
    readonly errorCode: string | null;
    /** How long after its instant, or after its event came, the run went on; null: it is not known. */
    readonly latenessMs: DurationMs | null;
  };
  /** The database was asked for due runs. `runCount` of at most `limit` were there. */
  readonly claimed: { readonly at: EpochMs; readonly limit: number; readonly runCount: number };
  /** `engine.tick` was called. */
  readonly tickBegun: Readonly<Record<string, never>>;
  /** It is over. `processed`: runs that it took. */
  readonly tickEnded: {
    readonly processed: number;
    /** Attempts that it started. */
    readonly steps: number;
    /** There was more to do than it had time for. */
    readonly moreDue: boolean;
    readonly durationMs: DurationMs;
    /** It rejected: what was due is looked at by another. */
    readonly failed: boolean;
  };
}

/** Names of events. */
export type LifecycleEvent = keyof LifecycleEvents;

/** Is told of an event. Nobody waits for it; what it throws, or rejects with, is logged once a minute. */
export type LifecycleListener<TEvent extends LifecycleEvent> = (
  event: LifecycleEvents[TEvent],
) => unknown;

/** Listeners by event. */
export type LifecycleListeners = {
  readonly [TEvent in LifecycleEvent]?: LifecycleListener<TEvent>;
};
