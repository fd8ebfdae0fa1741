/** OpenTelemetry's SDK as the guide has applications register it; what would be sent is left. */
import { context, SpanKind, trace, TraceFlags } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-base";

class Nowhere extends InMemorySpanExporter {
  override export(...[, done]: Parameters<InMemorySpanExporter["export"]>): void {
    super.export([], done);
  }
}

/** A run is sampled as the call was that created its instance. */
const wholeStories = (root: Sampler): Sampler => ({
  shouldSample: (...asked) => {
    const [, , , kind, , links] = asked;
    const creator = links.find(({ attributes }) => attributes?.["escapement.link"] === "creator");
    if (kind !== SpanKind.CONSUMER || creator === undefined) return root.shouldSample(...asked);
    const isSampled = (creator.context.traceFlags & TraceFlags.SAMPLED) !== 0;
    return {
      decision: isSampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
    };
  },
});

/**
 * Registers it, with a context in use as it is in an application whose own calls have spans.
 *
 * @param share of the stories that are sampled
 * @returns what hands on the spans that have ended
 */
export function registerSdk(share: number): () => Promise<void> {
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  const root = wholeStories(new TraceIdRatioBasedSampler(share));
  const spanProcessors = [new BatchSpanProcessor(new Nowhere(), { maxQueueSize: 100_000 })];
  const provider = new BasicTracerProvider({
    sampler: new ParentBasedSampler({ root }),
    spanProcessors,
  });
  trace.setGlobalTracerProvider(provider);
  context.with(context.active(), () => undefined);
  return () => provider.forceFlush();
}
