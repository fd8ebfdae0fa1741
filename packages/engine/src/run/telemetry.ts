/**
 * The interface between an engine and its tracing. Types only: the code is in `@escapement/otel`, and an engine without the
 * option `telemetry` loads none of it.
 */
import type { Change, RunOutcome, StepWrite } from "../core/model/change.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { CommitResult } from "../ports/commit.ts";
import type { LifecycleEvent, LifecycleListener } from "../ports/lifecycle.ts";
import type { Logger } from "../ports/logger.ts";
import type { SessionEnd } from "./session-end.ts";

/** Verbs by name. Those that create or send get spans. */
type Verbs = object;

type Fetch = (request: Request) => Promise<Response>;

/** Identifies the caller, and is stored with what it creates or sends: a W3C traceparent of 55 characters, or nothing. */
export interface Stamp {
  readonly traceContext?: string;
}

/** An engine that can be listened to. */
export interface ObservedEngine {
  /** @param isAtOnce call the listener directly, without a turn of its own; it must be short and never throw */
  on<TEvent extends LifecycleEvent>(
    event: TEvent,
    listener: LifecycleListener<TEvent>,
    isAtOnce: true,
  ): () => void;
}

/** Traces one run that this process holds. None of its methods throws. */
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
  /** This process no longer holds the run. */
  left(end: SessionEnd["kind"]): void;
  /** Calls author code with the run's span active; with a step, a body with the span of its attempt, which has begun. */
  within<TInput, T>(step: StepWrite | null, call: (input: TInput) => T, input: TInput): T;
  /** The stamp of the run. */
  stamp(): Stamp;
  /** The ids that log lines about the run carry. */
  logIds(): object;
}

/** Traces an engine. Made by `openTelemetry` of `@escapement/otel`. None of its methods throws. */
export interface Telemetry {
  /** A run was claimed. @returns undefined: it is not traced */
  follow(claimed: ClaimedRun): Followed | undefined;
  /** The stamp of the active span, or of the call that got this input. */
  stamp(input?: object): Stamp;
  /** Calls back at the end of the microtask turn, with no active span, for trips that many callers share. Needs no `this`. */
  readonly enqueue: (call: () => void) => void;
  /** Wraps verbs so that each call has a span. */
  wrapVerbs<T extends Verbs>(verbs: T): T;
  /** Wraps a logger so that lines carry the ids of their span. */
  wrapLogger(logger: Logger): Logger;
  /** Wraps a handler so that it takes the caller's span from the request, unless a span is active. */
  wrapFetch(fetch: Fetch): Fetch;
  /** Counts, for metrics. */
  attach(engine: ObservedEngine): void;
}
