/** The events that listeners get, about runs, attempts, waits, claims and ticks. None of them has payloads. */
import type { DurationMs, EpochMs, ErrorRecord, RunRef } from "../core/model/records.ts";
import type { StepType } from "../core/model/status.ts";

/** The fields of every event of a run. */
interface OfRun extends RunRef {
  /** When it happened, by the database's clock, in epoch milliseconds. */
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
 * The events of `engine.on` and of the option `listeners`, and what a listener gets.
 *
 * An event comes from the process that caused it, after the commit that makes it true. Replays cause none. An event is lost
 * if its process dies, and none comes for instances that are created within your own transaction or by a fragment's services.
 */
export interface LifecycleEvents {
  /**
   * An instance was created, by a call or by a step of its parent. A create that is repeated with its idempotency key may
   * report it again.
   */
  readonly instanceCreated: OfRun;
  /** A run was claimed for the first time, and its code begins. */
  readonly instanceStarted: OfRun & { readonly createdAt: EpochMs };
  /**
   * The run waits, and no process holds it. `dueAt`: when the wait ends by time, in epoch milliseconds; null: only an event or
   * a child ends it.
   */
  readonly instanceParked: OfRun & { readonly dueAt: EpochMs | null };
  /** The run ended. `durationMs`: since its first claim; null: it had none, or this process does not know. */
  readonly instanceEnded: OfRun & {
    readonly status: "complete" | "errored" | "terminated";
    /** As it is stored: after `redactError`. */
    readonly error: ErrorRecord | null;
    readonly durationMs: DurationMs | null;
  };
  /** The run failed, and begins again because of `runRetries`. `retryCount`: how often it had before. */
  readonly runFailed: OfRun & { readonly error: ErrorRecord; readonly retryCount: number };
  /** This process claimed the run, and holds it until `runLeft`. `lostLeases`: how many processes in a row have lost it. */
  readonly runClaimed: OfRun & { readonly isFirst: boolean; readonly lostLeases: number };
  /** This process no longer holds the run. `lost`: its lease ended before it could commit. */
  readonly runLeft: RunRef & {
    readonly end: "parked" | "released" | "paused" | "complete" | "errored" | "terminated" | "lost";
  };
  /** The body of a `step.do` begins. */
  readonly attemptStarted: OfAttempt & { readonly maxAttempts: number };
  /** The attempt threw, timed out, or returned something that cannot be stored. `willRetryInMs`: null after the last attempt. */
  readonly attemptFailed: OfAttempt & {
    readonly maxAttempts: number;
    readonly willRetryInMs: DurationMs | null;
    /** As it is stored: after `redactError`. */
    readonly error: ErrorRecord;
  };
  /** The attempt returned, and its result is stored. */
  readonly attemptSucceeded: OfAttempt;
  /** A step waits. `dueAt`: see `instanceParked`. */
  readonly waitBegun: OfWait & { readonly dueAt: EpochMs | null };
  /** A step no longer waits. */
  readonly waitEnded: OfWait & {
    /** `cancelled`: it lost a race, or nothing waits for it any more. */
    readonly status: "completed" | "errored" | "cancelled";
    /** For example EVENT_TIMEOUT; null: no error. */
    readonly errorCode: string | null;
    /** How long after it was due, or after its event came, the run continued; null: unknown. */
    readonly latenessMs: DurationMs | null;
  };
  /** This process asked the database for at most `limit` due runs, and got `runCount`. */
  readonly claimed: { readonly at: EpochMs; readonly limit: number; readonly runCount: number };
  /** `engine.tick` was called. */
  readonly tickBegun: Readonly<Record<string, never>>;
  /** The tick ended. `processed`: how many runs it took. */
  readonly tickEnded: {
    readonly processed: number;
    /** How many attempts it started. */
    readonly steps: number;
    /** There was more to do than its time allowed. */
    readonly moreDue: boolean;
    readonly durationMs: DurationMs;
    /** The tick rejected. What was due is left to another tick. */
    readonly failed: boolean;
  };
}

/** The names of the events. */
export type LifecycleEvent = keyof LifecycleEvents;

/** A function that is called for an event. Nothing waits for it. What it throws or rejects with is logged, once a minute. */
export type LifecycleListener<TEvent extends LifecycleEvent> = (
  event: LifecycleEvents[TEvent],
) => unknown;

/** Listeners by event. */
export type LifecycleListeners = {
  readonly [TEvent in LifecycleEvent]?: LifecycleListener<TEvent>;
};
