/** Verbs that create or send, in spans of their own: what is created or sent is stored with them. */
import {
  type Attributes,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { BATCH_COUNT, ERROR_TYPE, EVENT_TYPE, toInstanceAttributes, toMessaging } from "./names.ts";
import { quietly } from "./quietly.ts";

type Verb = (...input: never[]) => Promise<unknown>;

/** What is told of a call, by its verb. Input is that of a caller: nothing of it is known yet. */
const FOLLOWED: Readonly<
  Record<string, { readonly operation: string; readonly about: (input: unknown[]) => Attributes }>
> = {
  createInstance: { operation: "create", about: ([, input]) => toAbout(read(input, "id")) },
  createBatch: {
    operation: "create",
    about: ([, instances]) => (Array.isArray(instances) ? { [BATCH_COUNT]: instances.length } : {}),
  },
  restartOrCreate: { operation: "create", about: ([, input]) => toAbout(read(input, "id")) },
  fork: { operation: "create", about: () => ({}) },
  sendEvent: {
    operation: "send",
    about: ([, id, event]) => ({
      ...toAbout(id),
      [EVENT_TYPE]: String(read(event, "type")).slice(0, MAX_TEXT),
    }),
  },
};

const MAX_TEXT = 256;

const read = (input: unknown, name: string): unknown =>
  typeof input === "object" && input !== null ? Reflect.get(input, name) : undefined;

const toAbout = (id: unknown): Attributes =>
  typeof id === "string" ? toInstanceAttributes(id.slice(0, MAX_TEXT)) : {};

/** @param verbs of an engine, by name; the first argument of those that are followed is a workflow's name */
export function wrapVerbs<T extends object>(tracer: Tracer, verbs: T): T {
  const wrapped = { ...verbs } as Record<string, unknown>;
  for (const [name, { operation, about }] of Object.entries(FOLLOWED)) {
    const verb = wrapped[name];
    if (typeof verb !== "function") continue;
    wrapped[name] = (...input: never[]) => {
      const span = quietly(() => startSpan(tracer, { operation, input, about }));
      const call = (): Promise<unknown> => (verb as Verb)(...input);
      if (span === undefined) return call();
      return inSpan(span, call);
    };
  }
  return wrapped as T;
}

interface FollowedCall {
  readonly operation: string;
  readonly input: unknown[];
  readonly about: (input: unknown[]) => Attributes;
}

function startSpan(tracer: Tracer, { operation, input, about }: FollowedCall): Span {
  const workflowName = String(input[0]).slice(0, MAX_TEXT);
  return tracer.startSpan(`${operation} ${workflowName}`, {
    kind: SpanKind.PRODUCER,
    attributes: { ...toMessaging(operation, "send", workflowName), ...about(input) },
  });
}

async function inSpan(span: Span, call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await context.with(trace.setSpan(context.active(), span), call);
  } catch (error) {
    quietly(() => {
      const code = read(error, "code");
      span.setAttribute(ERROR_TYPE, typeof code === "string" ? code : "Error");
      span.setStatus({ code: SpanStatusCode.ERROR });
    });
    throw error;
  } finally {
    quietly(() => span.end());
  }
}
