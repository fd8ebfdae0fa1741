/** W3C trace context as it is stored beside instances and events: the traceparent alone, of version 00. */
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
 * Reads a traceparent. What another version adds behind the four known fields is left out.
 *
 * @param text from anywhere, of any length
 * @returns null: it is none that may be followed
 * @source https://www.w3.org/TR/trace-context/#traceparent-header-field-values and #versioning-of-traceparent, read 2026-11-27
 */
export function parseTraceparent(text: string | null | undefined): SpanContext | null {
  if (text === null || text === undefined || !FIELDS.test(text)) return null;
  const isLonger = text.length > LENGTH;
  if (isLonger && (text.startsWith("00") || text[LENGTH] !== "-")) return null;
  return {
    traceId: text.slice(3, 35),
    spanId: text.slice(36, 52),
    // Of the flags only `sampled` has a meaning here.
    traceFlags: Number.parseInt(text.slice(53, LENGTH), 16) & 1,
    isRemote: true,
  };
}

/** @returns what stands for a span that there is; nothing for one that is none */
export function toStamp(context: SpanContext | undefined): Stamp {
  if (context === undefined || !isSpan(context)) return NOTHING;
  const { traceId, spanId, traceFlags } = context;
  return { traceContext: `00-${traceId}-${spanId}-${toFlagsText(traceFlags)}` };
}

const NOTHING: Stamp = {};

/** By the lengths of its ids: what is not an id is found where it is read. Ids of no span are all zeros. */
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

/** @returns nothing of a span that is none */
export function idsOf(span: Span): LogIds | undefined {
  const ids = span.spanContext();
  if (!isSpan(ids)) return undefined;
  const { traceId, spanId, traceFlags } = ids;
  return { trace_id: traceId, span_id: spanId, trace_flags: toFlagsText(traceFlags) };
}

/** What a link is for. Made once: each run has one or two. */
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
