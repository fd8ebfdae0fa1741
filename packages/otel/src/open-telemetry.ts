/** The option `telemetry` of an engine, implemented with OpenTelemetry's API. */
import {
  context,
  type MeterProvider,
  metrics,
  ROOT_CONTEXT,
  trace,
  type TracerProvider,
} from "@opentelemetry/api";
import type { ClaimedRun, Followed, Stamp, Telemetry } from "@escapement/engine/internal";
import { FollowedRuns } from "./followed-runs.ts";
import { withLogIds } from "./log-ids.ts";
import { countEvents } from "./metrics.ts";
import { SCOPE } from "./names.ts";
import { quietly } from "./quietly.ts";
import { parseTraceparent, toStamp } from "./trace-context.ts";
import { stampOf, wrapVerbs } from "./wrap-verbs.ts";

/** Where spans and metrics go. */
interface OpenTelemetryOptions {
  /** @default the one that is registered with the API, also if it is registered later */
  readonly tracerProvider?: TracerProvider;
  /** @default the one that is registered with the API when the engine is created; without one nothing is counted */
  readonly meterProvider?: MeterProvider;
  /**
   * A run is traced only if the span of the call that created its instance is sampled. Otherwise none of its spans is made and
   * the sampler is not asked, which is the cheapest. Have your sampler take the others whole:
   * [how](https://escapement.dev/guides/observability#sample-whole-stories).
   * @default false: the sampler is asked each time that a process holds a run
   */
  readonly wholeStories?: boolean;
}

/**
 * Follows an engine: `createEngine({ telemetry: openTelemetry(), … })`. Each run that a process takes has its own trace, with links to
 * what created the instance and what sent it events. Bodies run with the span of their attempt active. Replay makes no spans.
 *
 * It exports nothing itself: register an OpenTelemetry SDK with a context manager before the first request.
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Telemetry {
  const tracer = (options.tracerProvider ?? trace).getTracer(SCOPE);
  const runs = new FollowedRuns({ tracer, wholeStories: options.wholeStories ?? false });
  const follow = (claimed: ClaimedRun): Followed | undefined => runs.follow(claimed);
  return {
    follow: (claimed) => quietly(follow, claimed),
    stamp: (input) => stampOf(input) ?? quietly(stampActive) ?? {},
    enqueue,
    wrapVerbs: (verbs) => wrapVerbs(tracer, verbs),
    wrapLogger: (logger) => withLogIds(logger, runs),
    wrapFetch: (fetch) => (request) => {
      const header = request.headers.get("traceparent");
      const caller = trace.getActiveSpan() === undefined ? parseTraceparent(header) : null;
      if (caller === null) return fetch(request);
      return context.with(trace.setSpanContext(ROOT_CONTEXT, caller), () => fetch(request));
    },
    attach: (engine) => {
      quietly(() => countEvents(engine, options.meterProvider ?? metrics.getMeterProvider()));
    },
  };
}

/** Statements for many runs belong to none of them, so an instrumentation of the database finds no parent for their spans. */
function enqueue(call: () => void): void {
  if (context.active() === ROOT_CONTEXT) queueMicrotask(call);
  else context.with(ROOT_CONTEXT, queueMicrotask, undefined, call);
}

/** The trace context to store with an instance or an event. */
const stampActive = (): Stamp => toStamp(trace.getActiveSpan()?.spanContext());
