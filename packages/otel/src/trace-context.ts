/** W3C trace context as it is stored beside instances and events: the traceparent alone, of version 00. */
import { isSpanContextValid, type SpanContext } from "@opentelemetry/api";

/** `00-<trace id>-<span id>-<flags>`. */
const LENGTH = 55;

const FIELDS = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/u;

/**
 * Reads a traceparent. What another version adds behind the four known fields is left out.
 *
 * @param text from anywhere, of any length
 * @returns null: it is none that may be followed
 * @source https://www.w3.org/TR/trace-context/#traceparent-header-field-values and #versioning-of-traceparent, read 2026-11-27
 */
export function parseTraceparent(text: string | null | undefined): SpanContext | null {
  if (text === null || text === undefined) return null;
  const [, version, traceId, spanId, flags] = FIELDS.exec(text.slice(0, LENGTH)) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  const isLonger = text.length > LENGTH;
  if (version === "ff" || (isLonger && (version === "00" || text[LENGTH] !== "-"))) return null;
  // Of the flags only `sampled` has a meaning here.
  const traceFlags = Number.parseInt(flags, 16) & 1;
  const context = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(context) ? context : null;
}

/** @returns null: the context stands for no span */
export function toTraceparent(context: SpanContext | undefined): string | null {
  if (context === undefined || !isSpanContextValid(context)) return null;
  const { traceId, spanId, traceFlags } = context;
  return `00-${traceId}-${spanId}-${toFlagsText(traceFlags)}`;
}

/** Two hexadecimal digits. */
export const toFlagsText = (traceFlags: number): string =>
  (traceFlags & 0xff).toString(16).padStart(2, "0");
