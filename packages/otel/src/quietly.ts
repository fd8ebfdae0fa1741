/** Telemetry does no harm: what a span processor or an exporter throws must not reach a run. */
import { diag } from "@opentelemetry/api";

/** @returns the result of the call; undefined: it threw, and the error went to OpenTelemetry's own log */
export function quietly<TInput extends readonly unknown[], T>(
  call: (...input: TInput) => T,
  ...input: TInput
): T | undefined {
  try {
    return call(...input);
  } catch (error) {
    try {
      diag.error("@escapement/otel", error);
    } catch {
      // A log that throws must not end a run either.
    }
    return undefined;
  }
}
