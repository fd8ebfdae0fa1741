/** Telemetry harms nobody: what a span processor or an exporter throws must reach no run. */
import { diag } from "@opentelemetry/api";

/** @returns what the call gives; undefined: it threw, which OpenTelemetry's own log is told */
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
      // A log that throws is no reason to end a run either.
    }
    return undefined;
  }
}
