/** The spans, and their links. */
import { context, trace, TraceFlags } from "@opentelemetry/api";
import { NonRetryableError, defineWorkflow } from "@escapement/engine";
import { createHarness } from "@escapement/engine/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { openTelemetry } from "./open-telemetry.ts";
import { registerSdk, type SpanView, toId, toView } from "./testing-spans.ts";

let spans: () => readonly SpanView[];
beforeEach(() => {
  const finished = registerSdk();
  spans = () => finished().map(toView);
});

const named = (name: string): readonly SpanView[] => spans().filter((span) => span.name === name);

const only = (name: string): SpanView => {
  const [span, ...others] = named(name);
  expect(others).toEqual([]);
  expect(span).toBeDefined();
  return span as SpanView;
};

const tracer = (): ReturnType<typeof trace.getTracer> => trace.getTracer("app");

describe("a run", () => {
  it("S8-014 S3-055 has a trace for each time that it is held, linked to its creator, to senders of events and to the time before; replay has no span", async () => {
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      await step.do("first", () => 1);
      await step.sleep("nap", "1 hour");
      await step.do("second", () => 2);
      await step.waitForEvent("go", { type: "go" });
      await step.do("third", () => 3);
    });
    const harness = createHarness({ workflows: { W: w }, telemetry: openTelemetry() });
    await harness.workflows.W.create({ id: "x" });
    await harness.runThroughTime(2 * 3_600_000);
    await harness.sendEvent("w", "x", { type: "go" });
    await harness.runThroughTime();

    const creator = only("create w");
    const sender = only("send w");
    const runs = named("run w");
    expect(runs.map(({ attributes }) => attributes["escapement.run.end"])).toEqual([
      "parked",
      "parked",
      "complete",
    ]);
    const linked = { to: toId(creator), kind: "creator" };
    const [one, two] = runs.map((run) => ({ to: toId(run), kind: "previous" }));
    expect(runs.map(({ links }) => links)).toEqual([
      [linked],
      [linked, one],
      [linked, two, { to: toId(sender), kind: "sender" }],
    ]);
    expect(new Set(runs.map(({ traceId }) => traceId)).size).toBe(3);
    const steps = spans().filter(({ name }) => name.startsWith("step "));
    expect(steps.map(({ name, parentId }) => [name, parentId])).toEqual([
      ["step first", runs[0]?.spanId],
      ["step second", runs[1]?.spanId],
      ["step third", runs[2]?.spanId],
    ]);
    expect(only("step first").attributes).toMatchObject({
      "escapement.step.key": "first",
      "escapement.attempt.number": 1,
      "escapement.attempt.outcome": "succeeded",
    });
  });

  it("S8-014 is linked to who used its callback, whose span says which instance and never the token", async () => {
    const tokens: string[] = [];
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      const approval = await step.callback("approve", { timeout: "1 day" });
      tokens.push(approval.token);
      await approval.payload();
      await step.do("third", () => 3);
    });
    const harness = createHarness({
      workflows: { W: w },
      telemetry: openTelemetry(),
      callbacks: {
        url: "https://app.example/api",
        signingKeys: ["5dDk0QmP1uZr8XwYc3bVn7eHgT2sLfAi"],
      },
    });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    const [token = ""] = tokens;
    await tracer().startActiveSpan("webhook", async (webhook) => {
      await harness.engine.completeCallback(token, { ok: true });
      webhook.end();
    });
    await expect(harness.engine.completeCallback(token)).rejects.toThrow();
    await expect(harness.engine.completeCallback("forged")).rejects.toThrow();
    await harness.runUntilIdle();

    const [sender, refused, ...others] = named("send w");
    expect(others).toEqual([]);
    expect(sender).toMatchObject({
      parentId: only("webhook").spanId,
      isError: false,
      attributes: {
        "escapement.workflow.name": "w",
        "escapement.instance.id": "x",
        "escapement.step.key": "approve",
      },
    });
    expect(refused).toMatchObject({
      isError: true,
      attributes: { "error.type": "CALLBACK_USED" },
    });
    const link = { to: sender === undefined ? "" : toId(sender), kind: "sender" };
    expect(named("run w").at(-1)?.links).toContainEqual(link);
    expect(JSON.stringify(spans())).not.toContain(token);
  });

  it("S8-014 has the spans of the application's own calls under the attempt that makes them", async () => {
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      await step.do("call", async () => {
        await Promise.resolve();
        tracer().startSpan("GET /price").end();
      });
      tracer().startSpan("between").end();
    });
    const harness = createHarness({ workflows: { W: w }, telemetry: openTelemetry() });
    await tracer().startActiveSpan("request", async (request) => {
      await harness.workflows.W.create({ id: "x" });
      request.end();
    });
    await harness.runUntilIdle();

    expect(only("GET /price").parentId).toBe(only("step call").spanId);
    expect(only("between").parentId).toBe(only("run w").spanId);
    expect(only("create w").parentId).toBe(only("request").spanId);
  });

  it("S8-014 tells of each attempt how it failed, as it is stored and no more", async () => {
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      await step.do("pay", { retries: { limit: 1, delay: "1 second" } }, ({ attempt }) => {
        if (attempt === 1) throw new RangeError("card 4111");
        throw new NonRetryableError("card 4111");
      });
    });
    const harness = createHarness({
      workflows: { W: w },
      telemetry: openTelemetry(),
      redactError: (error) => ({ ...error, message: "hidden", stack: null }),
    });
    await harness.workflows.W.create({ id: "x" });
    await harness.runThroughTime();

    const attempts = named("step pay");
    expect(attempts.map(({ attributes }) => attributes)).toMatchObject([
      { "escapement.attempt.number": 1, "error.type": "RangeError" },
      { "escapement.attempt.number": 2, "escapement.attempt.outcome": "failed" },
    ]);
    expect([...attempts, ...named("run w").slice(-1)].map(({ isError }) => isError)).toEqual([
      true,
      true,
      true,
    ]);
    expect(JSON.stringify(spans())).not.toContain("4111");
  });

  it("S8-014 is linked to the run of the parent that started it", async () => {
    const child = defineWorkflow({ name: "child" }, async (_event, step) => {
      await step.do("work", () => 1);
    });
    const parent = defineWorkflow({ name: "parent" }, async (_event, step) => {
      await step.invoke(child);
    });
    const workflows = { PARENT: parent, CHILD: child };
    const harness = createHarness({ workflows, telemetry: openTelemetry() });
    await harness.workflows.PARENT.create({ id: "x" });
    await harness.runThroughTime();

    const [first] = named("run parent");
    expect(only("run child").links).toEqual([{ to: toId(first as SpanView), kind: "creator" }]);
  });

  it("S8-014 ends the spans of attempts that nobody waits for any more", async () => {
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      await Promise.race([
        step.do("slow", () => new Promise<never>(() => undefined)),
        step.do("quick", () => 1),
      ]);
    });
    const harness = createHarness({ workflows: { W: w }, telemetry: openTelemetry() });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();

    expect(only("step slow").attributes["escapement.attempt.outcome"]).toBe("abandoned");
  });
});

describe("a caller over HTTP", () => {
  const create = async (traceparent: string): Promise<SpanView> => {
    const w = defineWorkflow({ name: "w" }, () => "done");
    const telemetry = openTelemetry();
    const harness = createHarness({
      workflows: { W: w },
      telemetry,
      http: { authorizeRequest: () => undefined },
    });
    const answer = await harness.engine.fetch(
      new Request("http://localhost/api/workflows/workflows/w/instances", {
        method: "POST",
        headers: { "content-type": "application/json", traceparent },
        body: JSON.stringify({ id: "x" }),
      }),
    );
    expect(answer.status).toBeLessThan(300);
    await harness.runUntilIdle();
    const created = only("create w");
    expect(only("run w").links).toEqual([{ to: toId(created), kind: "creator" }]);
    return created;
  };

  const TRACE = "0af7651916cd43dd8448eb211c80319c";
  const SPAN = "b7ad6b7169203331";

  it.each([
    ["as it is sent", `00-${TRACE}-${SPAN}-01`],
    ["with what a later version adds", `01-${TRACE}-${SPAN}-01-${"x".repeat(10_000)}`],
  ])("S8-014 is followed by the header traceparent: %s", async (_name, header) => {
    expect(await create(header)).toMatchObject({ traceId: TRACE, parentId: SPAN });
  });

  it.each([
    ["no trace", `00-${"0".repeat(32)}-${SPAN}-01`],
    ["no span", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["a version that is forbidden", `ff-${TRACE}-${SPAN}-01`],
    ["more than the version has", `00-${TRACE}-${SPAN}-01-00`],
    ["capitals", `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ["two of them", `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ["a long text", "0".repeat(8000)],
    ["SQL", "00-' or 1=1 --"],
  ])("S8-014 is not followed by a header that is none: %s", async (_name, header) => {
    const created = await create(header);
    expect(created.parentId).toBeNull();
    expect(created.traceId).not.toBe(TRACE);
  });

  it("S8-014 is followed by the span of the server that answers, where one is active", async () => {
    const server = {
      traceId: "1".repeat(32),
      spanId: "2".repeat(16),
      traceFlags: TraceFlags.SAMPLED,
    };
    const active = trace.setSpanContext(context.active(), server);
    const created = await context.with(active, () => create(`00-${TRACE}-${SPAN}-01`));
    expect(created).toMatchObject({ traceId: server.traceId, parentId: server.spanId });
  });
});
