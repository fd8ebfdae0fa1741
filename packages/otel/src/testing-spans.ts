/** OpenTelemetry's own SDK with spans kept in memory, registered as an application registers it. */
import { context, type SpanContext, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base";

/** Registers it in place of the one before. @param processors @default one that keeps spans in `spans` */
export function registerSdk(...processors: readonly SpanProcessor[]): () => ReadableSpan[] {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exporter), ...processors];
  trace.disable();
  context.disable();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
  return () => exporter.getFinishedSpans();
}

/** What tests read from a span, as JSON. */
export interface SpanView {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly to: string; readonly kind: unknown }[];
  readonly isError: boolean;
}

export const toView = (span: ReadableSpan): SpanView => ({
  name: span.name,
  traceId: span.spanContext().traceId,
  spanId: span.spanContext().spanId,
  parentId: span.parentSpanContext?.spanId ?? null,
  attributes: { ...span.attributes },
  links: span.links.map(({ context: to, attributes }) => ({
    to: toId(to),
    kind: attributes?.["escapement.link"],
  })),
  isError: span.status.code === SpanStatusCode.ERROR,
});

/** Trace and span id in one. */
export const toId = ({ traceId, spanId }: Pick<SpanContext, "traceId" | "spanId">): string =>
  `${traceId}/${spanId}`;

/** Passes each span on at once. */
export const toProcessor = (take: (span: SpanView) => void): SpanProcessor => ({
  onStart: () => undefined,
  onEnd: (span) => take(toView(span)),
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
});
