/**
 * Names of spans and attributes. An instance is a message to its workflow: creating one and sending it an event are `send`, a
 * run that a process takes is `process`. What conventions have no name for is under `escapement.`.
 *
 * Spans are called `{operation} {destination}`, with names that are few: workflows and steps, never ids or step keys.
 *
 * @source https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans (status: development), conventions 1.45.0, read
 *   2026-11-27
 */
import type { Attributes } from "@opentelemetry/api";

/** What the tracer, the meter, and `messaging.system` are called. */
export const SCOPE = "@escapement/otel";

export const WORKFLOW = "escapement.workflow.name";
const INSTANCE = "escapement.instance.id";
export const RUN_NUMBER = "escapement.run.number";
export const RUN_END = "escapement.run.end";
export const LOST_LEASES = "escapement.run.lost_leases";
export const STEP_KEY = "escapement.step.key";
export const ATTEMPT = "escapement.attempt.number";
export const MAX_ATTEMPTS = "escapement.attempt.max";
export const OUTCOME = "escapement.attempt.outcome";
export const EVENT_TYPE = "escapement.event.type";
/** Of a link: `creator`, `sender` or `previous`. */
export const LINK = "escapement.link";
/** A stable attribute of its own: https://opentelemetry.io/docs/specs/semconv/attributes-registry/error, read 2026-11-27 */
export const ERROR_TYPE = "error.type";
export const BATCH_COUNT = "messaging.batch.message_count";

/** @param operation name of what is done @param type as the conventions list it */
export const toMessaging = (
  operation: string,
  type: "send" | "process",
  workflowName: string,
): Attributes => ({
  "messaging.system": "escapement",
  "messaging.operation.name": operation,
  "messaging.operation.type": type,
  "messaging.destination.name": workflowName,
  [WORKFLOW]: workflowName,
});

/** The instance as what messages are about. */
export const toInstanceAttributes = (instanceId: string): Attributes => ({
  "messaging.message.conversation_id": instanceId,
  [INSTANCE]: instanceId,
});
