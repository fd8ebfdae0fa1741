/** The runs that this process holds, by what is known of them in each place. */
import type { Span, SpanContext, Tracer } from "@opentelemetry/api";
import {
  type ClaimedRun,
  instanceKey,
  type Notice,
  TOPIC_TASKS,
} from "@escapement/engine/internal";
import { FollowedRun } from "./followed-run.ts";

/** Runs that were left and are remembered, so that this process links the next span of the same run to the last. */
const MAX_REMEMBERED = 1000;

export class FollowedRuns {
  readonly #tracer: Tracer;
  /** By claim: where a lease was lost, the same run may be held twice for a while. */
  readonly #runs = new WeakMap<ClaimedRun, FollowedRun>();
  readonly #latest = new Map<string, FollowedRun>();
  readonly #previous = new Map<string, SpanContext>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  tell(notice: Notice): void {
    if (notice.kind === "opened") return this.#open(notice.claimed);
    if (!("claimed" in notice)) return;
    const run = this.#runs.get(notice.claimed);
    if (run === undefined) return;
    if (notice.kind === "began") run.begin(notice.step);
    else if (notice.kind === "attemptOver") run.attemptOver(notice.step);
    else if (notice.kind === "committed") run.committed(notice);
    else this.#left(run, notice);
  }

  of(claimed: ClaimedRun): FollowedRun | undefined {
    return this.#runs.get(claimed);
  }

  /** The span that a line of the log belongs to; undefined: it is of no run that is held. */
  spanOf(fields: Readonly<Record<string, unknown>>): Span | undefined {
    const { workflowName, instanceId, stepKey } = fields;
    if (typeof workflowName !== "string" || typeof instanceId !== "string") return undefined;
    return this.#latest.get(instanceKey({ workflowName, instanceId }))?.spanOf(stepKey);
  }

  #open(claimed: ClaimedRun): void {
    if (claimed.run.workflowName === TOPIC_TASKS) return;
    const key = instanceKey(claimed.run);
    const run = new FollowedRun(this.#tracer, claimed, this.#previous.get(key));
    this.#runs.set(claimed, run);
    this.#latest.set(key, run);
  }

  #left(run: FollowedRun, { claimed, end }: Extract<Notice, { kind: "left" }>): void {
    run.left(end);
    // A map that is weak keeps what is gone until the garbage of long ago is looked at, and each look is dearer by it.
    this.#runs.delete(claimed);
    const key = instanceKey(claimed.run);
    if (this.#latest.get(key) === run) this.#latest.delete(key);
    this.#previous.delete(key);
    if (end !== "parked" && end !== "released" && end !== "paused") return;
    this.#previous.set(key, run.span.spanContext());
    const [oldest] = this.#previous.keys();
    if (this.#previous.size > MAX_REMEMBERED && oldest !== undefined) this.#previous.delete(oldest);
  }
}
