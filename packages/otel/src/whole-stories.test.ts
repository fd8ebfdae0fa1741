/** Stories that are sampled like their creators. */
import { context, trace, TraceFlags } from "@opentelemetry/api";
import { defineWorkflow } from "@escapement/engine";
import { createHarness } from "@escapement/engine/testing";
import { beforeEach, expect, it } from "vitest";
import { openTelemetry } from "./open-telemetry.ts";
import { registerSdk, type SpanView, toView } from "./testing-spans.ts";

let spans: () => readonly SpanView[];
beforeEach(() => {
  const finished = registerSdk();
  spans = () => finished().map(toView);
});

const child = defineWorkflow({ name: "child" }, async (_event, step) => {
  await step.do("work", () => 1);
});
const parent = defineWorkflow({ name: "parent" }, async (_event, step) => {
  await step.sleep("nap", "1 minute");
  await step.invoke(child);
});

/** Runs both, created by a caller. @returns names of the resulting spans */
async function runFrom(traceFlags: TraceFlags): Promise<readonly string[]> {
  const telemetry = openTelemetry({ wholeStories: true });
  const harness = createHarness({ workflows: { PARENT: parent, CHILD: child }, telemetry });
  const caller = { traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags };
  await context.with(trace.setSpanContext(context.active(), caller), async () => {
    await harness.workflows.PARENT.create({ id: "x" });
  });
  await harness.runThroughTime();
  expect(await harness.status("parent", "x")).toMatchObject({ status: "complete" });
  return spans().map(({ name }) => name);
}

it("S8-014 a caller that is not sampled has no span of the story made, nor of its children, in any process", async () => {
  expect(await runFrom(TraceFlags.NONE)).toEqual([]);
});

it("S8-014 a caller that is sampled has the story whole", async () => {
  const names = await runFrom(TraceFlags.SAMPLED);
  expect(names).toContain("create parent");
  expect(names).toContain("step work");
  // Each time that the parent is held, and the child's.
  expect(names.filter((name) => name === "run parent").length).toBeGreaterThan(1);
  expect(names).toContain("run child");
});

it("S8-014 an instance that no creator is known of is asked of the sampler", async () => {
  const harness = createHarness({
    workflows: { CHILD: child },
    telemetry: { ...openTelemetry({ wholeStories: true }), wrapVerbs: (verbs) => verbs },
  });
  await harness.workflows.CHILD.create({ id: "x" });
  await harness.runUntilIdle();
  expect(spans().map(({ name }) => name)).toEqual(["step work", "run child"]);
});
