/** Telemetry has no effect on runs. */
import { context, trace } from "@opentelemetry/api";
import type { SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { defineWorkflow } from "@escapement/engine";
import { createHarness } from "@escapement/engine/testing";
import { expect, it } from "vitest";
import { openTelemetry } from "./open-telemetry.ts";
import { registerSdk, toView } from "./testing-spans.ts";

const boom = (): never => {
  throw new RangeError("telemetry");
};

const THROWS_ON_START: SpanProcessor = {
  onStart: boom,
  onEnd: () => undefined,
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};

const w = defineWorkflow({ name: "w" }, async (_event, step) => {
  const flaky = { retries: { limit: 1, delay: "1 second" } } as const;
  await step.do("flaky", flaky, ({ attempt }) => (attempt === 1 ? boom() : 1));
  return await step.do("sure", () => 2);
});

it.each([
  ["begin", THROWS_ON_START],
  ["end", { ...THROWS_ON_START, onStart: () => undefined, onEnd: boom }],
])(
  "S8-014 a span processor that throws at the %s of spans changes no run",
  async (_name, processor) => {
    registerSdk(processor);
    const harness = createHarness({ workflows: { W: w }, telemetry: openTelemetry() });
    await harness.workflows.W.create({ id: "x" });
    await harness.runThroughTime();

    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: 2 });
  },
);

it("S8-014 without an SDK lines of the log have no ids, and runs are as ever", async () => {
  trace.disable();
  context.disable();
  const harness = createHarness({ workflows: { W: w }, telemetry: openTelemetry() });
  await harness.workflows.W.create({ id: "x" });
  await harness.runThroughTime();

  expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: 2 });
  expect(harness.log.filter(({ fields }) => "trace_id" in fields)).toEqual([]);
});

it("S8-014 lines of the log have the ids of the attempt, or of the run, that they are about", async () => {
  const finished = registerSdk();
  const fails = defineWorkflow({ name: "fails" }, async (_event, step) => {
    await step.do("pay", { retries: { limit: 0, delay: 0 } }, boom);
  });
  const harness = createHarness({ workflows: { FAILS: fails }, telemetry: openTelemetry() });
  await harness.workflows.FAILS.create({ id: "x" });
  await harness.runUntilIdle();

  const ids = (name: string): object => {
    const view = finished()
      .map(toView)
      .find((span) => span.name === name);
    return { trace_id: view?.traceId, span_id: view?.spanId, trace_flags: "01" };
  };
  const line = (event: string): object | undefined =>
    harness.log.find((one) => one.event === event)?.fields;
  expect(line("step.attempt_failed")).toMatchObject(ids("step pay"));
  expect(line("run.errored")).toMatchObject(ids("run fails"));
});
