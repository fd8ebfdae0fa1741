/**
 * Names of spans and attributes. An instance is a message to its workflow: creating one, sending it an event, and emitting to a
 * topic are `send`, a run that a process takes is `process`. A claim has no span: it is of many runs, or of none. What conventions
 * have no name for is under `escapement.`.
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
export const INSTANCE = "escapement.instance.id";
export const RUN_NUMBER = "escapement.run.number";
export const RUN_END = "escapement.run.end";
export const LOST_LEASES = "escapement.run.lost_leases";
export const STEP_KEY = "escapement.step.key";
export const ATTEMPT = "escapement.attempt.number";
export const MAX_ATTEMPTS = "escapement.attempt.max";
export const OUTCOME = "escapement.attempt.outcome";
export const STATUS = "escapement.instance.status";
export const TOPIC = "escapement.topic.name";
export const EVENT_TYPE = "escapement.event.type";
/** Of a link: `creator`, `sender` or `previous`. */
export const LINK = "escapement.link";
/** A stable attribute of its own: https://opentelemetry.io/docs/specs/semconv/attributes-registry/error, read 2026-11-27 */
export const ERROR_TYPE = "error.type";
export const BATCH_COUNT = "messaging.batch.message_count";

/** What a span is about. Without an instance: it is about many. */
interface Message {
  /** `run` processes; the others send. */
  readonly operation: "run" | "create" | "send" | "emit";
  /** Of a workflow; where a message is emitted, of a topic. */
  readonly destination: string;
  readonly instanceId?: string | undefined;
}

/**
 * The names that the conventions have for what spans say otherwise too. They are given to spans that are sampled, after their
 * beginning: a sampler goes by those under `escapement.`, and each attribute that it is asked with costs also where it says no.
 */
export const toMessaging = ({ operation, destination, instanceId }: Message): Attributes => ({
  "messaging.system": "escapement",
  "messaging.operation.name": operation,
  "messaging.operation.type": operation === "run" ? "process" : "send",
  "messaging.destination.name": destination,
  "messaging.message.conversation_id": instanceId,
});
