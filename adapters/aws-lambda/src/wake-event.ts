/** Tells what an invocation is for: a request, a batch of wakes from the queue, or one wake. */
import { BARE_WAKE, parseWakeMessage, type WakeMessage } from "@escapement/engine/adapter";
import { WorkflowError } from "@escapement/engine";

/** The part of an SQS message that is used. */
export interface QueueRecord {
  readonly messageId: string;
  readonly body: string;
  readonly receiptHandle?: string;
  readonly attributes?: { readonly ApproximateReceiveCount?: string };
}

export type WakeEvent =
  | { readonly kind: "http" }
  | { readonly kind: "queue"; readonly records: readonly QueueRecord[] }
  | { readonly kind: "tick"; readonly wake: WakeMessage };

/**
 * @throws {WorkflowError} INVALID_REQUEST for an event of an unknown kind
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
  const details = { received: Object.keys(fields).slice(0, 20) };
  throw new WorkflowError("INVALID_REQUEST", "an event of no known kind", details);
}

/** The wake in a message's body, also from EventBridge rules and schedules without an input; null: not a wake. */
export const parseWakeBody = (body: string): WakeMessage | null =>
  /"detail-type": ?"Scheduled Event"/.test(body) ? BARE_WAKE : parseWakeMessage(body);

const toFields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};
