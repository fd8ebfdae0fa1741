/**
 * What an engine asks of who follows it with spans. Types only: `@escapement/otel` has the code, and an engine without the option
 * `telemetry` has none of it.
 */
import type { Change, RunOutcome, StepWrite } from "../core/model/change.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { CommitResult } from "../ports/commit.ts";
import type { LifecycleEvent, LifecycleListener } from "../ports/lifecycle.ts";
import type { Logger } from "../ports/logger.ts";
import type { SessionEnd } from "./session-end.ts";

/** Verbs by name: those that create or send are followed. */
type Verbs = object;

type Fetch = (request: Request) => Promise<Response>;

/** What stands for a caller, stored with what is created or sent: a W3C traceparent of 55 characters, or nothing. */
export interface Stamp {
  readonly traceContext?: string;
}

/** An engine that can be listened to. */
export interface HeardEngine {
  /** @param isAtOnce the listener is called where others are given a turn of their own: it is short and never throws */
  on<TEvent extends LifecycleEvent>(
    event: TEvent,
    listener: LifecycleListener<TEvent>,
    isAtOnce: true,
  ): () => void;
}

/** A run that this process holds, as it is followed. None of its methods throws. */
export interface Followed {
  /** A body is about to begin. */
  begin(step: StepWrite): void;
  /** A body has returned, thrown, or taken too long. `step`: as it is to be committed. */
  attemptOver(step: StepWrite): void;
  /** A commit was applied. */
  committed(
    changes: readonly Change[],
    outcome: RunOutcome,
    result: Extract<CommitResult, { kind: "committed" }>,
  ): void;
  /** This process holds it no more. */
  left(end: SessionEnd["kind"]): void;
  /** Calls author code with the run's span active; with a step, a body with the span of its attempt, which has begun. */
  within<TInput, T>(step: StepWrite | null, call: (input: TInput) => T, input: TInput): T;
  /** What stands for the run. */
  stamp(): Stamp;
  /** What a line of the log about the run has of it. */
  logIds(): object;
}

/** Follows an engine with spans: made by `openTelemetry` of `@escapement/otel`. None of its methods throws. */
export interface Telemetry {
  /** A run was claimed. @returns undefined: it is not followed */
  follow(claimed: ClaimedRun): Followed | undefined;
  /** What stands for what is active, or for the call that the input was given to. */
  stamp(input?: object): Stamp;
  /** Calls back at the end of the microtask turn with nothing active: for trips that many share. Not used as a method. */
  readonly enqueue: (call: () => void) => void;
  /** Verbs that do the same in spans of their own. */
  wrapVerbs<T extends Verbs>(verbs: T): T;
  /** A logger whose lines have the ids of the span that they belong to. */
  wrapLogger(logger: Logger): Logger;
  /** A handler that takes the caller's span from the request, unless one is active. */
  wrapFetch(fetch: Fetch): Fetch;
  /** Counts, for metrics. */
  attach(engine: HeardEngine): void;
}
