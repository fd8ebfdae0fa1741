/** Metrics of an engine as Prometheus reads them. */
import { expect, it } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import { collectMetrics } from "../http/metrics.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createFaultStore } from "../testing/fault-store.ts";
import { createHarness } from "../testing/harness.ts";

const SECRET = "9qTz3kWv7LmX1cRb5NhJ8dPf";

let tries = 0;
const order = defineWorkflow({ name: "order" }, async (_event, step) => {
  await step.do("charge", { retries: { limit: 1, delay: 0 } }, () => {
    tries += 1;
    if (tries === 1) throw new RangeError("not yet");
  });
  await step.sleep("a while", "1 minute");
});
const broken = defineWorkflow({ name: "broken" }, () => {
  throw new RangeError("it fails");
});
const idle = defineWorkflow({ name: "idle" }, (_event, step) =>
  step.waitForEvent("never", { type: "never" }),
);
const workflows = { ORDER: order, BROKEN: broken, IDLE: idle };

const loaded = (): Promise<unknown> => import("../run/notify-listeners.ts");

it("S4-055 starts, ends and attempts are counted by workflow, live instances are a gauge, and the lateness of resumes a histogram", async () => {
  const harness = createHarness({ workflows });
  const metrics = collectMetrics(harness.engine);
  await loaded();
  await harness.workflows.ORDER.create();
  await harness.workflows.BROKEN.create();
  await harness.workflows.IDLE.create();
  await harness.runUntilIdle();
  // Woken 2 s late.
  await harness.clock.advance(62_000);
  await harness.runUntilIdle();
  const text = await metrics.text();
  for (const line of [
    "# TYPE escapement_instances_started_total counter",
    'escapement_instances_started_total{workflow="order"} 1',
    'escapement_instances_ended_total{workflow="order",status="complete"} 1',
    'escapement_instances_ended_total{workflow="broken",status="errored"} 1',
    'escapement_attempts_total{workflow="order",outcome="failed"} 1',
    'escapement_attempts_total{workflow="order",outcome="succeeded"} 1',
    'escapement_runs_held{workflow="idle"} 0',
    "# TYPE escapement_wait_lateness_seconds histogram",
    'escapement_wait_lateness_seconds_bucket{workflow="order",le="1"} 0',
    'escapement_wait_lateness_seconds_bucket{workflow="order",le="2.5"} 1',
    'escapement_wait_lateness_seconds_bucket{workflow="order",le="+Inf"} 1',
    'escapement_wait_lateness_seconds_sum{workflow="order"} 2',
    'escapement_wait_lateness_seconds_count{workflow="order"} 1',
    'escapement_instances{workflow="idle",status="waiting"} 1',
    "escapement_database_up 1",
  ])
    expect(text.split("\n")).toContain(line);
  // Every line is a comment or a sample, and the last one has a line break.
  expect(text).toMatch(/^(?:(?:# .+|[a-z_]+(?:\{[^\n]*\})? -?[\d.]+)\n)+$/);
  metrics.stop();
  await harness.workflows.BROKEN.create();
  await harness.runUntilIdle();
  expect(await metrics.text()).toContain('started_total{workflow="broken"} 1');
});

it("S4-055 what has not happened yet is there as 0, so that alarms can compare it", async () => {
  const metrics = collectMetrics(createHarness({ workflows }).engine);
  const text = await metrics.text();
  for (const line of [
    'escapement_instances_started_total{workflow="order"} 0',
    'escapement_instances_ended_total{workflow="order",status="errored"} 0',
    'escapement_runs_failed_total{workflow="order"} 0',
    'escapement_attempts_total{workflow="order",outcome="succeeded"} 0',
    'escapement_attempts_total{workflow="order",outcome="failed"} 0',
    'escapement_runs_held{workflow="order"} 0',
    'escapement_ticks_total{outcome="failed"} 0',
  ])
    expect(text.split("\n")).toContain(line);
});

it("S4-055 the route is closed without a secret, open to who has it, and asks the database once for many who read", async () => {
  const time = createFakeTime();
  let isDown = false;
  const store = createFaultStore(createMemoryStore({ now: time.now }), () =>
    isDown ? "before" : "none",
  );
  const engine = createEngine({ workflows, store, host: time.host, logger: { log: () => {} } });
  const request = (authorization: string, method: string = "GET"): Request =>
    new Request("https://host.example/metrics", { method, headers: { authorization } });
  const closed = collectMetrics(engine);
  expect((await closed.fetch(request(`Bearer ${SECRET}`))).status).toBe(401);
  expect(() => collectMetrics(engine, { bearerSecret: "" })).toThrow(
    expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }),
  );
  const { fetch } = collectMetrics(engine, { bearerSecret: [SECRET] });
  for (const wrong of ["", "Bearer ", "Bearer wrong-wrong-wrong-wrong-wrong", `Basic ${SECRET}`])
    expect((await fetch(request(wrong))).status).toBe(401);
  const trips = store.calls.length;
  expect(trips).toBe(0);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => fetch(request(`Bearer ${SECRET}`))),
  );
  expect(store.calls).toHaveLength(1);
  expect(answers[0]?.headers.get("content-type")).toContain("text/plain; version=0.0.4");
  expect(await answers[0]?.text()).toContain("escapement_database_up 1");
  expect(await (await fetch(request(`Bearer ${SECRET}`, "HEAD"))).text()).toBe("");
  expect((await fetch(request(`Bearer ${SECRET}`, "POST"))).status).toBe(405);
  isDown = true;
  const later = collectMetrics(engine, { bearerSecret: SECRET });
  const answer = await later.fetch(request(`Bearer ${SECRET}`));
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain("escapement_database_up 0");
});

it("a database that takes longer than counts may be old is asked once, whoever reads meanwhile", async () => {
  const { engine } = createHarness({ workflows });
  const answers: (() => void)[] = [];
  const slow = {
    listWorkflows: () => engine.listWorkflows(),
    on: engine.on.bind(engine),
    countInstances: async (...given: Parameters<typeof engine.countInstances>) => {
      await new Promise<void>((resolve) => {
        answers.push(resolve);
      });
      return engine.countInstances(...given);
    },
  };
  const metrics = collectMetrics(slow, { maxAgeMs: 0 });
  const texts = [metrics.text(), metrics.text(), metrics.text()];
  expect(answers).toHaveLength(1);
  answers[0]?.();
  expect(new Set(await Promise.all(texts)).size).toBe(1);
  void metrics.text();
  expect(answers).toHaveLength(2);
  answers[1]?.();
});
