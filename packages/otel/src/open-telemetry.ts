/** The option `telemetry` of an engine: what it asks for, given by OpenTelemetry's API. */
import {
  context,
  isSpanContextValid,
  type MeterProvider,
  metrics,
  ROOT_CONTEXT,
  type Span,
  trace,
  type TracerProvider,
} from "@opentelemetry/api";
import type { Logger } from "@escapement/engine";
import type { ClaimedRun, Notice, Telemetry } from "@escapement/engine/internal";
import { FollowedRuns } from "./followed-runs.ts";
import { countEvents } from "./metrics.ts";
import { SCOPE } from "./names.ts";
import { quietly } from "./quietly.ts";
import { parseTraceparent, toFlagsText, toTraceparent } from "./trace-context.ts";
import { wrapVerbs } from "./wrap-verbs.ts";

/** Where spans and metrics go. */
interface OpenTelemetryOptions {
  /** @default the one that is registered with the API, also if it is registered later */
  readonly tracerProvider?: TracerProvider;
  /** @default the one that is registered with the API when the engine is created; without one nothing is counted */
  readonly meterProvider?: MeterProvider;
}

/**
 * Follows an engine: `createEngine({ telemetry: openTelemetry(), … })`. Of each run that a process takes there is a trace of its own,
 * linked to what created the instance and to who sent it events; bodies run with the span of their attempt active. Replay makes no span.
 *
 * It exports nothing itself: register an SDK of OpenTelemetry, with a context manager, before requests come.
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Telemetry {
  const tracer = (options.tracerProvider ?? trace).getTracer(SCOPE);
  const runs = new FollowedRuns(tracer);
  const tell = (notice: Notice): void => runs.tell(notice);
  return {
    tell: (notice) => quietly(tell, notice),
    stamp: (claimed) => quietly(toStamp, runs, claimed) ?? {},
    within: (claimed, step, call) => {
      const run = runs.of(claimed);
      return run === undefined ? call() : context.with(run.contextOf(step?.stepKey ?? null), call);
    },
    wrapVerbs: (verbs) => wrapVerbs(tracer, verbs),
    wrapLogger: (logger) => withTraceIds(logger, runs),
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

/** What is stored with an instance or an event. */
function toStamp(
  runs: FollowedRuns,
  claimed: ClaimedRun | undefined,
): { readonly traceContext?: string } {
  const span = claimed === undefined ? trace.getActiveSpan() : runs.of(claimed)?.span;
  const traceContext = toTraceparent(span?.spanContext());
  return traceContext === null ? {} : { traceContext };
}

/** Lines of a run have the ids of its span, or of the attempt's that they are about; others those of what is active. */
const withTraceIds = (logger: Logger, runs: FollowedRuns): Logger => {
  const idsOf = (fields: Parameters<Logger["log"]>[2]): Readonly<Record<string, string>> =>
    toIds(runs.spanOf(fields) ?? trace.getActiveSpan());
  return {
    log: (level, event, fields) => {
      const ids = quietly(idsOf, fields);
      logger.log(level, event, ids === undefined ? fields : { ...fields, ...ids });
    },
  };
};

/** @source https://opentelemetry.io/docs/specs/otel/compatibility/logging_trace_context, read 2026-11-27: names outside OTLP */
function toIds(span: Span | undefined): Readonly<Record<string, string>> {
  const ids = span?.spanContext();
  if (ids === undefined || !isSpanContextValid(ids)) return {};
  const { traceId, spanId, traceFlags } = ids;
  return { trace_id: traceId, span_id: spanId, trace_flags: toFlagsText(traceFlags) };
}
