/** The runs that this process holds. The sampler is asked once for each: attempts of one that it leaves out have no spans. */
import {
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  TraceFlags,
  type Tracer,
} from "@opentelemetry/api";
import {
  type ClaimedRun,
  type Followed,
  instanceKey,
  TOPIC_TASKS,
} from "@escapement/engine/internal";
import type { HeldRun } from "./held-run.ts";
import { INSTANCE, LOST_LEASES, RUN_NUMBER, WORKFLOW } from "./names.ts";
import { SampledRun } from "./sampled-run.ts";
import { parseTraceparent, toLinks } from "./trace-context.ts";
import { UnsampledRun } from "./unsampled-run.ts";

/** Runs that were left and are remembered, so that this process links the next span of the same run to the last. */
const MAX_REMEMBERED = 1000;

export class FollowedRuns {
  readonly #tracer: Tracer;
  /** Where a lease was lost, the same run may be held twice for a while: the latest. */
  readonly #latest = new Map<string, HeldRun>();
  readonly #previous = new Map<string, SpanContext>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  follow(claimed: ClaimedRun): (Followed & HeldRun) | undefined {
    if (claimed.run.workflowName === TOPIC_TASKS) return undefined;
    const tracer = this.#tracer;
    const key = instanceKey(claimed.run);
    const creator = toLinks("creator", parseTraceparent(claimed.traceContext));
    const previous = toLinks("previous", this.#takePrevious(key));
    const links = previous.length === 0 ? creator : [...creator, ...previous];
    const span = startSpan(tracer, claimed, links);
    const leave = (left: HeldRun, isRemembered: boolean): void =>
      this.#left(key, left, isRemembered);
    const run = span.isRecording()
      ? new SampledRun({ tracer, span, claimed, creator, leave })
      : new UnsampledRun(span, leave);
    this.#latest.set(key, run);
    return run;
  }

  /** The span that a line of the log belongs to; undefined: it is of no run that is held. */
  spanOf(fields: Readonly<Record<string, unknown>>): Span | undefined {
    const { workflowName, instanceId, stepKey } = fields;
    if (typeof workflowName !== "string" || typeof instanceId !== "string") return undefined;
    return this.#latest.get(instanceKey({ workflowName, instanceId }))?.spanOf(stepKey);
  }

  #takePrevious(key: string): SpanContext | undefined {
    if (this.#previous.size === 0) return undefined;
    const previous = this.#previous.get(key);
    this.#previous.delete(key);
    return previous;
  }

  #left(key: string, run: HeldRun, isRemembered: boolean): void {
    if (this.#latest.get(key) === run) this.#latest.delete(key);
    if (!isRemembered) return;
    const left = run.span.spanContext();
    if ((left.traceFlags & TraceFlags.SAMPLED) === 0) return;
    this.#previous.delete(key);
    this.#previous.set(key, left);
    const [oldest] = this.#previous.keys();
    if (this.#previous.size > MAX_REMEMBERED && oldest !== undefined) this.#previous.delete(oldest);
  }
}

/** With what a sampler may go by, and no more. */
function startSpan(
  tracer: Tracer,
  { run, lostLeases }: ClaimedRun,
  links: ReturnType<typeof toLinks>,
): Span {
  const options = {
    kind: SpanKind.CONSUMER,
    links,
    attributes: {
      [WORKFLOW]: run.workflowName,
      [INSTANCE]: run.instanceId,
      [RUN_NUMBER]: run.runNumber,
      [LOST_LEASES]: lostLeases,
    },
  };
  return tracer.startSpan(`run ${run.workflowName}`, options, ROOT_CONTEXT);
}
