/** What an invocation is about: a request, a batch of wakes from the queue, or one wake. */
import { WorkflowError } from "@escapement/engine/errors";

/** What of SQS's message matters here. */
export interface QueueRecord {
  readonly messageId: string;
  readonly body: string;
  readonly receiptHandle?: string;
  readonly attributes?: { readonly ApproximateReceiveCount?: string };
}

export type WakeEvent =
  | { readonly kind: "http" }
  | { readonly kind: "queue"; readonly records: readonly QueueRecord[] }
  | ({ readonly kind: "tick" } & Wake);

/** `minute`: the instant of the schedule that sent it; null: none did. */
export interface Wake {
  readonly hopCount: number;
  readonly minute: number | null;
}

/** The body of a wake: it names nothing that a caller could use to run something else. */
export const toWakeBody = (hopCount: number, minute?: number): string =>
  JSON.stringify({ kind: "tick", hopCount, minute });

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
  const wake = readWake(fields);
  if (wake !== null) return { kind: "tick", ...wake };
  const received = Object.keys(fields).slice(0, 20);
  throw new WorkflowError("INVALID_REQUEST", "an event of no known kind", { received });
}

/** The wake of a message's body; null when it is none. */
export function parseWakeBody(body: string): Wake | null {
  try {
    return readWake(toFields(JSON.parse(body)));
  } catch {
    return null;
  }
}

function readWake({ kind, hopCount = 0, minute = null, ...others }: Fields): Wake | null {
  // EventBridge rules, and schedules without an input of their own.
  if (others["detail-type"] === "Scheduled Event") return { hopCount: 0, minute: null };
  const isWake = kind === "tick" && isCount(hopCount) && (minute === null || isCount(minute));
  return isWake ? { hopCount, minute } : null;
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

type Fields = Readonly<Record<string, unknown>>;
const toFields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
