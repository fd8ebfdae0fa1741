/** OpenTelemetry's SDK as an application registers it; every span is sampled, and what would be sent is left. */
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
} from "@opentelemetry/sdk-trace-base";

class Nowhere extends InMemorySpanExporter {
  override export(...[, done]: Parameters<InMemorySpanExporter["export"]>): void {
    super.export([], done);
  }
}

export function registerSdk(): void {
  const spanProcessors = [new BatchSpanProcessor(new Nowhere(), { maxQueueSize: 100_000 })];
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
}
