/** Statements that many runs share, as an instrumentation of the database sees them. */
import { trace } from "@opentelemetry/api";
import { createEngine, defineWorkflow } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { expect, it } from "vitest";
import { openTelemetry } from "./open-telemetry.ts";
import { registerSdk, toView } from "./testing-spans.ts";

type Trip = (requests: readonly unknown[]) => Promise<unknown>;

/** Makes a span for each trip below the active one, like instrumentations of drivers. */
const instrument =
  (name: string, trip: Trip): Trip =>
  (requests) =>
    trace.getTracer("driver").startActiveSpan(`${name} ${requests.length}`, async (span) => {
      try {
        return await trip(requests);
      } finally {
        span.end();
      }
    });

it("S8-014 what creates and runs share belongs to none of them: its statements have no parent", async () => {
  const finished = registerSdk();
  const store = createMemoryStore();
  const instrumented = {
    ...store,
    create: instrument("create", store.create as Trip) as typeof store.create,
    commit: instrument("commit", store.commit as Trip) as typeof store.commit,
  };
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    await step.do("work", () => trace.getTracer("app").startSpan("own").end());
  });
  const engine = createEngine({
    workflows: { W: w },
    store: instrumented,
    telemetry: openTelemetry(),
    logger: { log: () => undefined },
  });
  await trace.getTracer("app").startActiveSpan("request", async (request) => {
    await Promise.all(["x", "y", "z"].map((id) => engine.workflows.W.create({ id })));
    request.end();
  });
  const status = async (id: string): Promise<string> =>
    (await (await engine.workflows.W.get(id)).status()).status;
  await engine.tick();
  for (const id of ["x", "y", "z"]) await expect.poll(() => status(id)).toBe("complete");
  await engine.close();

  const views = finished().map(toView);
  const trips = views.filter(({ name }) => /^(?:create|commit) \d/u.test(name));
  expect(trips.filter(({ name }) => name.startsWith("create")).length).toBeGreaterThan(0);
  expect(trips.filter(({ name }) => name.startsWith("commit")).length).toBeGreaterThan(0);
  expect(trips.map(({ parentId }) => parentId)).toEqual(trips.map(() => null));
  // Spans of author code still belong to its run.
  const steps = views.filter(({ name }) => name === "step work").map(({ spanId }) => spanId);
  const own = views.filter(({ name }) => name === "own").map(({ parentId }) => parentId);
  expect(new Set(own)).toEqual(new Set(steps));
});
