/** What an invocation is about: a request, a batch of wakes from the queue, or one wake. */
import {
  parseWakeMessage,
  type WakeMessage as Wake,
  type WakesFor,
} from "@escapement/engine/drive";
import { WorkflowError } from "@escapement/engine/errors";

export type { Wake };

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
  | { readonly kind: "tick"; readonly wake: Wake };

const NET: Wake = { hopCount: 0, at: null, thenAt: null };

/** The body of a wake: it names nothing that a caller could use to run something else. */
export const toWakeBody = (wake: Partial<Wake>): string =>
  JSON.stringify({ kind: "tick", ...wake });

/** The same of one that a request began. */
export const REQUEST_BODY = JSON.stringify({ kind: "tick", of: "request" });

/** Each who is woken by the queue wakes for what comes next; who is woken again, or by the schedule, mends what broke. */
export function toWakesFor(records: readonly QueueRecord[]): WakesFor {
  if (records.some(({ attributes }) => attributes?.ApproximateReceiveCount !== "1")) return "any";
  const others = records.filter(({ body }) => body !== REQUEST_BODY);
  if (others.length === 0) return "own";
  const isLink = ({ body }: QueueRecord): boolean => {
    const wake = parseWakeBody(body);
    return wake !== null && (wake.at !== null || wake.hopCount > 0);
  };
  return others.every(isLink) ? "due" : "any";
}

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
  const wake = parseWakeBody(JSON.stringify(fields));
  if (wake !== null) return { kind: "tick", wake };
  const received = Object.keys(fields).slice(0, 20);
  throw new WorkflowError("INVALID_REQUEST", "an event of no known kind", { received });
}

/** The wake that a message's body is, also that of EventBridge rules and of schedules without an input; null: it is none. */
export const parseWakeBody = (body: string): Wake | null =>
  /"detail-type": ?"Scheduled Event"/.test(body) ? NET : parseWakeMessage(body);

type Fields = Readonly<Record<string, unknown>>;
const toFields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
