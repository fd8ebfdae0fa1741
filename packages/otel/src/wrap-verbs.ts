/** Verbs that create or send, in their own spans, which are stored with what is created or sent. */
import {
  type Attributes,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import {
  BATCH_COUNT,
  ERROR_TYPE,
  EVENT_TYPE,
  INSTANCE,
  STEP_KEY,
  toMessaging,
  TOPIC,
  WORKFLOW,
} from "./names.ts";
import type { Stamp } from "@escapement/engine/internal";
import { quietly } from "./quietly.ts";
import { toStamp } from "./trace-context.ts";

type Verb = (...input: unknown[]) => Promise<unknown>;

/** The attributes of a call, by its verb. The input comes from a caller and is not checked yet. */
interface Followed {
  readonly operation: "create" | "send" | "emit";
  readonly toInstanceId?: (input: unknown[]) => unknown;
  /** Its second argument reaches `Telemetry.stamp`, copied or not. */
  readonly isStamped?: true;
  readonly about?: (input: unknown[]) => Attributes;
}

const FOLLOWED: Readonly<Record<string, Followed>> = {
  createInstance: {
    operation: "create",
    toInstanceId: ([, input]) => read(input, "id"),
    isStamped: true,
  },
  createBatch: {
    operation: "create",
    about: ([, instances]) => (Array.isArray(instances) ? { [BATCH_COUNT]: instances.length } : {}),
  },
  restartOrCreate: { operation: "create", toInstanceId: ([, input]) => read(input, "id") },
  fork: { operation: "create" },
  sendEvent: {
    operation: "send",
    toInstanceId: ([, id]) => id,
    about: ([, , event]) => ({ [EVENT_TYPE]: String(read(event, "type")).slice(0, MAX_TEXT) }),
  },
  /** Inside `completeCallback`, once its token is read. */
  sendCallback: {
    operation: "send",
    toInstanceId: ([, id]) => id,
    about: ([, , call]) => ({ [STEP_KEY]: String(read(read(call, "target"), "stepKey")) }),
  },
  emit: { operation: "emit" },
};

const MAX_TEXT = 256;

const read = (input: unknown, name: string): unknown =>
  typeof input === "object" && input !== null ? Reflect.get(input, name) : undefined;

/** A topic may be given as an object or by its name. */
const toName = (input: unknown): string => String(read(input, "name") ?? input);

/** @param verbs of an engine, by name; the first argument of a followed verb is a workflow or a topic */
export function wrapVerbs<T extends object>(tracer: Tracer, verbs: T): T {
  const wrapped = { ...verbs } as Record<string, unknown>;
  for (const [name, followed] of Object.entries(FOLLOWED)) {
    const verb = wrapped[name];
    if (typeof verb === "function") wrapped[name] = wrapVerb(tracer, followed, verb as Verb);
  }
  return wrapped as T;
}

const wrapVerb =
  (tracer: Tracer, followed: Followed, verb: Verb): Verb =>
  (...input) => {
    const span = quietly(startSpan, tracer, followed, input);
    if (span === undefined) return verb(...input);
    const isStamped = followed.isStamped === true && isCopied(input[1]);
    if (isStamped && !span.isRecording()) return runStamped(span, verb, input);
    const running = context.with(trace.setSpan(context.active(), span), () => verb(...input));
    return endWith(span, running);
  };

/** The symbol under which an input carries the trace context of its call. */
const STAMP = Symbol("escapement.stamp");

export const stampOf = (input: object | undefined): Stamp | undefined =>
  input === undefined ? undefined : (Reflect.get(input, STAMP) as Stamp | undefined);

/** A copy has the same content: the input is no class with getters, and no text in place of options, which the verb refuses. */
const isCopied = (input: unknown): boolean =>
  input === undefined ||
  (typeof input === "object" &&
    input !== null &&
    Object.getPrototypeOf(input) === Object.prototype);

/** Entering a context would cost more, and only what is stored needs it, so it travels with the input. */
function runStamped(span: Span, verb: Verb, [name, input, ...others]: unknown[]): Promise<unknown> {
  const stamped = { ...(input as object), [STAMP]: toStamp(span.spanContext()) };
  return verb(name, stamped, ...others).then((value) => value);
}

function startSpan(tracer: Tracer, followed: Followed, input: unknown[]): Span {
  const { operation, toInstanceId, about } = followed;
  const destination = toName(input[0]).slice(0, MAX_TEXT);
  const id = toInstanceId?.(input);
  const instanceId = typeof id === "string" ? id.slice(0, MAX_TEXT) : undefined;
  const span = tracer.startSpan(`${operation} ${destination}`, {
    kind: SpanKind.PRODUCER,
    attributes:
      operation === "emit"
        ? { [TOPIC]: destination }
        : { [WORKFLOW]: destination, [INSTANCE]: instanceId },
  });
  if (span.isRecording())
    span.setAttributes({
      ...toMessaging({ operation, destination, instanceId }),
      ...about?.(input),
    });
  return span;
}

/**
 * Settles one turn after the verb, sampled or not. If calls settled at different times, what their callers do next would need separate
 * trips. A call that nobody awaits is still an unhandled rejection.
 */
function endWith(span: Span, running: Promise<unknown>): Promise<unknown> {
  if (!span.isRecording()) return running.then((value) => value);
  return running.then(
    (value) => {
      quietly(end, span);
      return value;
    },
    (error: unknown) => {
      quietly(fail, span, error);
      throw error;
    },
  );
}

const end = (span: Span): void => span.end();

function fail(span: Span, error: unknown): void {
  const code = read(error, "code");
  span.setAttribute(ERROR_TYPE, typeof code === "string" ? code : "Error");
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
