/** What an invocation is about: a request, a batch of wakes from the queue, or one wake. */
import { WorkflowError } from "@escapement/engine/errors";

export interface QueueRecord {
  readonly messageId: string;
  readonly body: string;
}

export type WakeEvent =
  | { readonly kind: "http" }
  | { readonly kind: "queue"; readonly records: readonly QueueRecord[] }
  | { readonly kind: "tick"; readonly hopCount: number };

/** The body of a wake: it names nothing that a caller could use to run something else. */
export const toWakeBody = (hopCount: number): string => JSON.stringify({ kind: "tick", hopCount });

/**
 * @throws {WorkflowError} INVALID_REQUEST for an event of no known kind
 * @source docs.aws.amazon.com/lambda: urls-invocation, services-alb, with-sqs, with-eventbridge-scheduler; read 2026-11-21
 */
export function readEvent(event: unknown): WakeEvent {
  const fields = toFields(event);
  const context = toFields(fields["requestContext"]);
  if ("http" in context || "elb" in context) return { kind: "http" };
  const { Records: records } = fields;
  if (Array.isArray(records) && records.every((one) => toFields(one)["eventSource"] === "aws:sqs"))
    return { kind: "queue", records };
  const hopCount = readHopCount(fields);
  if (hopCount !== null) return { kind: "tick", hopCount };
  const received = Object.keys(fields).slice(0, 20);
  throw new WorkflowError("INVALID_REQUEST", "an event of no known kind", { received });
}

/** Hop count of a wake's body; null when it is not one. */
export function parseWakeBody(body: string): number | null {
  try {
    return readHopCount(toFields(JSON.parse(body)));
  } catch {
    return null;
  }
}

function readHopCount({ kind, hopCount = 0, ...others }: Fields): number | null {
  // EventBridge rules, and schedules without an input of their own.
  if (others["detail-type"] === "Scheduled Event") return 0;
  const isCount = typeof hopCount === "number" && Number.isSafeInteger(hopCount) && hopCount >= 0;
  return kind === "tick" && isCount ? hopCount : null;
}

type Fields = Readonly<Record<string, unknown>>;
const toFields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
