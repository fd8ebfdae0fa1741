/** A sampled run: its span, the spans of its attempts below it, and its links. */
import {
  type Context,
  context,
  type Link,
  type Span,
  SpanStatusCode,
  type Tracer,
} from "@opentelemetry/api";
import type {
  ClaimedRun,
  ErrorRecord,
  Followed,
  Stamp,
  StepWrite,
} from "@escapement/engine/internal";
import type { HeldRun, LeaveRun } from "./held-run.ts";
import {
  ATTEMPT,
  ERROR_TYPE,
  MAX_ATTEMPTS,
  OUTCOME,
  RUN_END,
  STEP_KEY,
  toMessaging,
} from "./names.ts";
import { quietly } from "./quietly.ts";
import { toRunContext } from "./run-context.ts";
import { idsOf, parseTraceparent, toLinks, toStamp } from "./trace-context.ts";

interface OpenAttempt {
  readonly span: Span;
  readonly context: Context;
}

export interface SampledRunParts {
  readonly tracer: Tracer;
  readonly span: Span;
  readonly claimed: ClaimedRun;
  /** On the run's span and on the first attempt that ends, because the run's own span is lost if its process is killed. */
  readonly creator: readonly Link[];
  readonly leave: LeaveRun;
}

type Committed = Parameters<Followed["committed"]>;
type End = Parameters<Followed["left"]>[0];

export class SampledRun implements Followed, HeldRun {
  readonly run: HeldRun["run"];
  readonly span: Span;
  readonly #context: Context;
  readonly #parts: SampledRunParts;
  #hasLinkedAttempt = false;
  readonly #attempts = new Map<string, OpenAttempt>();
  /** Senders of events that no step has taken, by row id. */
  readonly #senders = new Map<string, string>();

  constructor(parts: SampledRunParts) {
    this.#parts = parts;
    this.run = parts.claimed.run;
    this.span = parts.span;
    this.#context = toRunContext(parts.span);
    const { workflowName, instanceId } = parts.claimed.run;
    parts.span.setAttributes(
      toMessaging({ operation: "run", destination: workflowName, instanceId }),
    );
    this.#noteSenders(parts.claimed.events);
  }

  begin(step: StepWrite): void {
    quietly(() => this.#begin(step));
  }

  attemptOver(step: StepWrite): void {
    quietly(() => this.#attemptOver(step));
  }

  committed(...committed: Committed): void {
    quietly(() => this.#committed(...committed));
  }

  left(end: End): void {
    quietly(() => this.#left(end));
    this.#parts.leave(this, end === "parked" || end === "released" || end === "paused");
  }

  within<TInput, T>(step: StepWrite | null, call: (input: TInput) => T, input: TInput): T {
    const attempt = step === null ? undefined : this.#attempts.get(step.stepKey);
    return context.with(attempt?.context ?? this.#context, call, undefined, input);
  }

  stamp(): Stamp {
    return toStamp(this.span.spanContext());
  }

  logIds(): object {
    return quietly(idsOf, this.span) ?? {};
  }

  spanOf(stepKey: unknown): Span {
    const attempt = typeof stepKey === "string" ? this.#attempts.get(stepKey) : undefined;
    return attempt?.span ?? this.span;
  }

  /** Attributes are set on the existing span: given before, they would be read three times. */
  #begin({ stepKey, name, attempts, lostAttempts, maxAttempts }: StepWrite): void {
    const span = this.#parts.tracer.startSpan(`step ${name}`, undefined, this.#context);
    this.#attempts.set(stepKey, { span, context: toRunContext(span) });
    span.setAttribute(STEP_KEY, stepKey);
    span.setAttribute(ATTEMPT, attempts + lostAttempts);
    span.setAttribute(MAX_ATTEMPTS, maxAttempts);
  }

  /** Later effects of the attempt are not on its span. */
  #attemptOver({ stepKey, error }: StepWrite): void {
    const span = this.#attempts.get(stepKey)?.span;
    if (span === undefined) return;
    this.#attempts.delete(stepKey);
    if (!this.#hasLinkedAttempt) for (const link of this.#parts.creator) span.addLink(link);
    this.#hasLinkedAttempt = true;
    span.setAttribute(OUTCOME, error === null ? "succeeded" : "failed");
    if (error !== null) fail(span, error);
    span.end();
  }

  #committed(...[changes, outcome, { events }]: Committed): void {
    this.#noteSenders(events);
    if (this.#senders.size > 0)
      for (const change of changes)
        if (change.kind === "eventConsumed") this.#linkSender(change.eventId);
    if ("error" in outcome && outcome.error !== null) fail(this.span, outcome.error);
  }

  /** Ends attempts that are still open. */
  #left(end: End): void {
    for (const { span } of this.#attempts.values()) span.setAttribute(OUTCOME, "abandoned").end();
    this.#attempts.clear();
    this.span.setAttribute(RUN_END, end);
    if (end === "lost") this.span.setStatus({ code: SpanStatusCode.ERROR, message: "lease lost" });
    this.span.end();
  }

  #noteSenders(events: ClaimedRun["events"]): void {
    for (const { id, traceContext } of events)
      if (traceContext !== undefined) this.#senders.set(id, traceContext);
  }

  #linkSender(eventId: string): void {
    const sender = parseTraceparent(this.#senders.get(eventId));
    this.#senders.delete(eventId);
    for (const link of toLinks("sender", sender)) this.span.addLink(link);
  }
}

/** @param error the stored one, after `redactError` */
function fail(span: Span, { name, message, stack, code }: ErrorRecord): void {
  const type = code ?? name;
  span.setAttribute(ERROR_TYPE, type);
  span.recordException({ name: type, message, ...(stack === null ? {} : { stack }) });
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
