/** W3C trace context as it is stored with instances and events: only the traceparent, in version 00. */
import {
  type Attributes,
  INVALID_SPANID,
  type Link,
  type Span,
  type SpanContext,
} from "@opentelemetry/api";
import type { Stamp } from "@escapement/engine/internal";
import { LINK } from "./names.ts";

/** `00-<trace id>-<span id>-<flags>`. */
const LENGTH = 55;

const FIELDS = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}/u;

/**
 * Reads a traceparent. Fields that another version adds after the four known ones are ignored.
 *
 * @param text from anywhere, of any length
 * @returns null: not a traceparent that may be followed
 * @source https://www.w3.org/TR/trace-context/#traceparent-header-field-values and #versioning-of-traceparent, read 2026-11-27
 */
export function parseTraceparent(text: string | null | undefined): SpanContext | null {
  if (text === null || text === undefined || !FIELDS.test(text)) return null;
  const isLonger = text.length > LENGTH;
  if (isLonger && (text.startsWith("00") || text[LENGTH] !== "-")) return null;
  return {
    traceId: text.slice(3, 35),
    spanId: text.slice(36, 52),
    // `sampled` is the only flag that is used here.
    traceFlags: Number.parseInt(text.slice(53, LENGTH), 16) & 1,
    isRemote: true,
  };
}

/** @returns the traceparent of a valid span; nothing for an invalid one */
export function toStamp(context: SpanContext | undefined): Stamp {
  if (context === undefined || !isSpan(context)) return NOTHING;
  const { traceId, spanId, traceFlags } = context;
  return { traceContext: `00-${traceId}-${spanId}-${toFlagsText(traceFlags)}` };
}

const NOTHING: Stamp = {};

/** Checks only the lengths of the ids; a malformed id is noticed where it is read. The ids of an invalid span are all zeros. */
const isSpan = ({ traceId, spanId }: SpanContext): boolean =>
  spanId !== INVALID_SPANID && traceId.length === 32 && spanId.length === 16;

/** Two hexadecimal digits. */
const toFlagsText = (traceFlags: number): string =>
  FLAGS[traceFlags] ?? (traceFlags & 0xff).toString(16).padStart(2, "0");

const FLAGS = ["00", "01", "02", "03"];

/** @source https://opentelemetry.io/docs/specs/otel/compatibility/logging_trace_context, read 2026-11-27: names outside OTLP */
interface LogIds {
  readonly trace_id: string;
  readonly span_id: string;
  readonly trace_flags: string;
}

/** @returns nothing for an invalid span */
export function idsOf(span: Span): LogIds | undefined {
  const ids = span.spanContext();
  if (!isSpan(ids)) return undefined;
  const { traceId, spanId, traceFlags } = ids;
  return { trace_id: traceId, span_id: spanId, trace_flags: toFlagsText(traceFlags) };
}

/** The attributes of a link by its kind. Created once, because each run has one or two links. */
const ATTRIBUTES: Readonly<Record<"creator" | "sender" | "previous", Attributes>> = {
  creator: { [LINK]: "creator" },
  sender: { [LINK]: "sender" },
  previous: { [LINK]: "previous" },
};

export const toLinks = (
  kind: keyof typeof ATTRIBUTES,
  context: SpanContext | null | undefined,
): Link[] =>
  context === null || context === undefined ? [] : [{ context, attributes: ATTRIBUTES[kind] }];
