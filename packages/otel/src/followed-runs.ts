/** The runs that this process holds. The sampler is asked once per run: if it leaves a run out, its attempts have no spans. */
import {
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  trace,
  TraceFlags,
  type Tracer,
} from "@opentelemetry/api";
import type { ClaimedRun, Followed } from "@escapement/engine/internal";
import { instanceKey, TOPIC_TASKS } from "@escapement/engine/internal/values";
import type { HeldRun } from "./held-run.ts";
import { HeldRuns } from "./held-runs.ts";
import { INSTANCE, LOST_LEASES, RUN_NUMBER, WORKFLOW } from "./names.ts";
import { SampledRun } from "./sampled-run.ts";
import { parseTraceparent, toLinks } from "./trace-context.ts";
import { UnsampledRun } from "./unsampled-run.ts";

/** How many past runs are remembered, so that the next span of the same run in this process links to the last. */
const MAX_REMEMBERED = 1000;

export interface FollowedRunsOptions {
  readonly tracer: Tracer;
  /** If a run's creator is not sampled, neither is the run, and the sampler is not asked. */
  readonly wholeStories: boolean;
}

export class FollowedRuns {
  readonly #tracer: Tracer;
  readonly #wholeStories: boolean;
  readonly #held = new HeldRuns();
  readonly #previous = new Map<string, SpanContext>();
  readonly #leave = (run: HeldRun, isRemembered: boolean): void => this.#left(run, isRemembered);

  constructor({ tracer, wholeStories }: FollowedRunsOptions) {
    this.#tracer = tracer;
    this.#wholeStories = wholeStories;
  }

  follow(claimed: ClaimedRun): (Followed & HeldRun) | undefined {
    if (claimed.run.workflowName === TOPIC_TASKS) return undefined;
    const creator = parseTraceparent(claimed.traceContext);
    const isLeftOut = this.#wholeStories && creator !== null && !isSampled(creator);
    const run = isLeftOut
      ? new UnsampledRun(claimed.run, trace.wrapSpanContext(creator), this.#leave)
      : this.#ask(claimed, creator);
    this.#held.add(run);
    return run;
  }

  /** The span for a log line; undefined: the line is not about a run that is held. */
  spanOf(fields: Readonly<Record<string, unknown>>): Span | undefined {
    return this.#held.find(fields["workflowName"], fields["instanceId"])?.spanOf(fields["stepKey"]);
  }

  #ask(claimed: ClaimedRun, creatorContext: SpanContext | null): Followed & HeldRun {
    const tracer = this.#tracer;
    const creator = toLinks("creator", creatorContext);
    const previous = toLinks("previous", this.#takePrevious(claimed.run));
    const links = previous.length === 0 ? creator : [...creator, ...previous];
    const span = startSpan(tracer, claimed, links);
    return span.isRecording()
      ? new SampledRun({ tracer, span, claimed, creator, leave: this.#leave })
      : new UnsampledRun(claimed.run, span, this.#leave);
  }

  #takePrevious(run: ClaimedRun["run"]): SpanContext | undefined {
    if (this.#previous.size === 0) return undefined;
    const key = instanceKey(run);
    const previous = this.#previous.get(key);
    this.#previous.delete(key);
    return previous;
  }

  #left(held: HeldRun, isRemembered: boolean): void {
    this.#held.remove(held);
    if (!isRemembered) return;
    const left = held.span.spanContext();
    if (!isSampled(left)) return;
    const key = instanceKey(held.run);
    this.#previous.delete(key);
    this.#previous.set(key, left);
    const [oldest] = this.#previous.keys();
    if (this.#previous.size > MAX_REMEMBERED && oldest !== undefined) this.#previous.delete(oldest);
  }
}

const isSampled = ({ traceFlags }: SpanContext): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0;

/** With only the attributes that a sampler may use. */
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
