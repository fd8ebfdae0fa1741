/**
 * What an engine asks of who follows it with spans. Types only: `@escapement/otel` has the code, and an engine without the option
 * `telemetry` has none of it.
 */
import type { StepWrite } from "../core/model/change.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { LifecycleEvent, LifecycleListener } from "../ports/lifecycle.ts";
import type { Logger } from "../ports/logger.ts";
import type { Notice } from "./notices.ts";

/** Verbs by name: those that create or send are followed. */
type Verbs = object;

type Fetch = (request: Request) => Promise<Response>;

/** An engine that can be listened to. */
export interface HeardEngine {
  on<TEvent extends LifecycleEvent>(event: TEvent, listener: LifecycleListener<TEvent>): () => void;
}

/** Follows an engine with spans: made by `openTelemetry` of `@escapement/otel`. None of its methods throws. */
export interface Telemetry {
  /** Hears what has come about, at once and in order. */
  tell(notice: Notice): void;
  /**
   * What stands for the caller, to be stored with what is created or sent: a W3C traceparent of 55 characters, or nothing.
   *
   * @param claimed the run that creates or sends @default what is active
   */
  stamp(claimed?: ClaimedRun): { readonly traceContext?: string };
  /** Calls author code of a run with its span active; with a step, a body with the span of its attempt, which has been told of. */
  within<T>(claimed: ClaimedRun, step: StepWrite | null, call: () => T): T;
  /** Verbs that do the same in spans of their own. */
  wrapVerbs<T extends Verbs>(verbs: T): T;
  /** A logger whose lines have the ids of the span that they belong to. */
  wrapLogger(logger: Logger): Logger;
  /** A handler that takes the caller's span from the request, unless one is active. */
  wrapFetch(fetch: Fetch): Fetch;
  /** Listens, for metrics. */
  attach(engine: HeardEngine): void;
}
