/** A run that this process holds: its span, the spans of its attempts under it, and what it is linked to. */
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type {
  ClaimedRun,
  CommittedNotice,
  ErrorRecord,
  Notice,
  StepWrite,
} from "@escapement/engine/internal";
import {
  ATTEMPT,
  ERROR_TYPE,
  INSTANCE,
  LINK,
  LOST_LEASES,
  MAX_ATTEMPTS,
  OUTCOME,
  RUN_END,
  RUN_NUMBER,
  STEP_KEY,
  toMessaging,
  WORKFLOW,
} from "./names.ts";
import { parseTraceparent } from "./trace-context.ts";

interface OpenAttempt {
  readonly span: Span;
  readonly context: Context;
}

type End = Extract<Notice, { kind: "left" }>["end"];

export class FollowedRun {
  readonly span: Span;
  /** With its span active, and nothing else of whoever happened to claim it. */
  readonly context: Context;
  /** The sampler is asked once, for the run: without a span of the run none of its attempts has one, and nothing of them is kept. */
  readonly #isRecording: boolean;
  readonly #tracer: Tracer;
  /** On every span of the run: that of the run itself is lost with a process that is killed. */
  readonly #creator: readonly Link[];
  /** null: none has begun. */
  #attempts: Map<string, OpenAttempt> | null = null;
  /** Senders of events that no step has taken, by row id. null: none is traced. */
  #senders: Map<string, string> | null = null;

  /** @param previous span of the run before, if this process held it */
  constructor(tracer: Tracer, claimed: ClaimedRun, previous: SpanContext | undefined) {
    const { workflowName, instanceId, runNumber } = claimed.run;
    this.#tracer = tracer;
    this.#creator = toLinks("creator", parseTraceparent(claimed.traceContext));
    const options = {
      kind: SpanKind.CONSUMER,
      links: [...this.#creator, ...toLinks("previous", previous)],
      attributes: {
        [WORKFLOW]: workflowName,
        [INSTANCE]: instanceId,
        [RUN_NUMBER]: runNumber,
        [LOST_LEASES]: claimed.lostLeases,
      },
    };
    this.span = tracer.startSpan(`run ${workflowName}`, options, ROOT_CONTEXT);
    this.context = trace.setSpan(ROOT_CONTEXT, this.span);
    this.#isRecording = this.span.isRecording();
    if (!this.#isRecording) return;
    this.span.setAttributes(toMessaging({ operation: "run", workflowName, instanceId }));
    this.#noteSenders(claimed.events);
  }

  /** A body begins. */
  begin(step: StepWrite): void {
    if (!this.#isRecording) return;
    const { stepKey, name, attempts, lostAttempts, maxAttempts } = step;
    const attributes: Attributes = {
      [STEP_KEY]: stepKey,
      [ATTEMPT]: attempts + lostAttempts,
      [MAX_ATTEMPTS]: maxAttempts,
    };
    const options = { links: this.#creator as Link[], attributes };
    const span = this.#tracer.startSpan(`step ${name}`, options, this.context);
    this.#attempts ??= new Map();
    this.#attempts.set(stepKey, { span, context: trace.setSpan(this.context, span) });
  }

  /** It is over; what comes of it later is not told here. */
  attemptOver({ stepKey, error }: StepWrite): void {
    const attempt = this.#attempts?.get(stepKey);
    if (attempt === undefined) return;
    this.#attempts?.delete(stepKey);
    const { span } = attempt;
    span.setAttribute(OUTCOME, error === null ? "succeeded" : "failed");
    if (error !== null) fail(span, error);
    span.end();
  }

  /** The context of an attempt; of the run where none is under way. */
  contextOf(stepKey: string | null): Context {
    const attempt = stepKey === null ? undefined : this.#attempts?.get(stepKey);
    return attempt?.context ?? this.context;
  }

  spanOf(stepKey: unknown): Span {
    const attempt = typeof stepKey === "string" ? this.#attempts?.get(stepKey) : undefined;
    return attempt?.span ?? this.span;
  }

  committed({ changes, outcome, result }: CommittedNotice): void {
    if (!this.#isRecording) return;
    this.#noteSenders(result.events);
    if (this.#senders !== null)
      for (const change of changes)
        if (change.kind === "eventConsumed") this.#linkSender(change.eventId);
    if ("error" in outcome && outcome.error !== null) fail(this.span, outcome.error);
  }

  /** Attempts that are still open are nobody's any more. */
  left(end: End): void {
    if (!this.#isRecording) return;
    for (const { span } of this.#attempts?.values() ?? [])
      span.setAttribute(OUTCOME, "abandoned").end();
    this.#attempts = null;
    this.span.setAttribute(RUN_END, end);
    if (end === "lost") this.span.setStatus({ code: SpanStatusCode.ERROR, message: "lease lost" });
    this.span.end();
  }

  #noteSenders(events: ClaimedRun["events"]): void {
    for (const { id, traceContext } of events)
      if (traceContext !== undefined) {
        this.#senders ??= new Map();
        this.#senders.set(id, traceContext);
      }
  }

  #linkSender(eventId: string): void {
    const sender = parseTraceparent(this.#senders?.get(eventId));
    this.#senders?.delete(eventId);
    for (const link of toLinks("sender", sender)) this.span.addLink(link);
  }
}

const toLinks = (kind: string, context: SpanContext | null | undefined): readonly Link[] =>
  context === null || context === undefined ? [] : [{ context, attributes: { [LINK]: kind } }];

/** @param error as it is stored: after `redactError` */
function fail(span: Span, { name, message, stack, code }: ErrorRecord): void {
  const type = code ?? name;
  span.setAttribute(ERROR_TYPE, type);
  span.recordException({ name: type, message, ...(stack === null ? {} : { stack }) });
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
