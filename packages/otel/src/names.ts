/**
 * Names of spans and attributes. An instance is a message to its workflow: creating one, sending it an event, and emitting to a topic are
 * `send`, and a run that a process takes is `process`. A claim has no span, because it is for many runs or none. Names that the
 * conventions lack begin with `escapement.`.
 *
 * Spans are called `{operation} {destination}`. These are names of workflows and steps, which are few, and never ids or step keys.
 *
 * @source https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans (status: development), conventions 1.45.0, read
 *   2026-11-27
 */
import type { Attributes } from "@opentelemetry/api";

/** The name of the tracer and the meter, and the value of `messaging.system`. */
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
/** The kind of a link: `creator`, `sender` or `previous`. */
export const LINK = "escapement.link";
/** A stable attribute: https://opentelemetry.io/docs/specs/semconv/attributes-registry/error, read 2026-11-27 */
export const ERROR_TYPE = "error.type";
export const BATCH_COUNT = "messaging.batch.message_count";

/** What a span is about. Without an instance, it is about several. */
interface Message {
  /** `run` processes; the others send. */
  readonly operation: "run" | "create" | "send" | "emit";
  /** The name of a workflow, or of a topic if a message is emitted. */
  readonly destination: string;
  readonly instanceId?: string | undefined;
}

/**
 * The conventions' names for what spans also say otherwise. Sampled spans get them after they begin: a sampler uses the names below
 * `escapement.`, and each attribute that it gets costs something even if it says no.
 */
export const toMessaging = ({ operation, destination, instanceId }: Message): Attributes => ({
  "messaging.system": "escapement",
  "messaging.operation.name": operation,
  "messaging.operation.type": operation === "run" ? "process" : "send",
  "messaging.destination.name": destination,
  "messaging.message.conversation_id": instanceId,
});
