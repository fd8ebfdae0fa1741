/** The spans of a story of three steps, made by nobody's engine: what the SDK takes for them. */
import { context, type Link, ROOT_CONTEXT, SpanKind, trace, type Tracer } from "@opentelemetry/api";

const STEPS = ["a", "b", "c"];

/** Makes five, as `@escapement/otel` does: with the same attributes, links, parents and contexts. */
export function makeSpans(tracer: Tracer, instanceId: string): void {
  const workflow = {
    "escapement.workflow.name": "three",
    "escapement.instance.id": instanceId,
    "messaging.system": "escapement",
    "messaging.destination.name": "three",
    "messaging.message.conversation_id": instanceId,
  };
  const create = tracer.startSpan("create three", {
    kind: SpanKind.PRODUCER,
    attributes: {
      ...workflow,
      "messaging.operation.name": "create",
      "messaging.operation.type": "send",
    },
  });
  create.end();
  const creator: Link = {
    context: create.spanContext(),
    attributes: { "escapement.link": "creator" },
  };
  const run = tracer.startSpan(
    "run three",
    {
      kind: SpanKind.CONSUMER,
      links: [creator],
      attributes: {
        ...workflow,
        "escapement.run.number": 1,
        "escapement.run.lost_leases": 0,
        "messaging.operation.name": "run",
        "messaging.operation.type": "process",
      },
    },
    ROOT_CONTEXT,
  );
  const ofRun = trace.setSpan(ROOT_CONTEXT, run);
  for (const name of STEPS) {
    const step = tracer.startSpan(
      `step ${name}`,
      {
        links: name === "a" ? [creator] : [],
        attributes: {
          "escapement.step.key": name,
          "escapement.attempt.number": 1,
          "escapement.attempt.max": 6,
        },
      },
      ofRun,
    );
    context.with(trace.setSpan(ofRun, step), () => undefined);
    step.setAttribute("escapement.attempt.outcome", "succeeded");
    step.end();
  }
  run.setAttribute("escapement.run.end", "complete");
  run.end();
}
