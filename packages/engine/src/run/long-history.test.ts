/** Runs whose histories are larger than what one call reads. */
import { expect, test, vi } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { Loop } from "../authoring/loop.ts";
import type { WorkflowStep } from "../authoring/step.ts";
import { createEngine } from "../verbs/engine.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createFaultStore } from "../testing/fault-store.ts";

const STEPS = 20;
const LARGE = "x".repeat(1_000_000);

const bodies: string[] = [];
const LONG = defineWorkflow({ name: "long" }, async (_event, step) => {
  let size = 0;
  for (let count = 0; count < STEPS; count += 1)
    size += (
      await step.do(`large ${count}`, () => {
        bodies.push(String(count));
        return LARGE;
      })
    ).length;
  const { payload } = await step.waitForEvent("go", { type: "go", timeout: "1 hour" });
  return [size, payload];
});

/** An instance that has run its steps and waits, and another process that knows nothing of it. */
async function createScene(planOf: (verb: string) => "none" | "before" = () => "none") {
  bodies.length = 0;
  const memory = createMemoryStore();
  const engine = createEngine({ workflows: { LONG }, store: memory });
  await engine.workflows.LONG.create({ id: "i" });
  await engine.tick();
  expect(bodies).toHaveLength(STEPS);
  const store = createFaultStore(memory, ({ verb }) => planOf(verb));
  const warned: string[] = [];
  const logger = { log: (_level: string, event: string) => void warned.push(event) };
  return { store, warned, other: createEngine({ workflows: { LONG }, store, logger }) };
}

const statusOf = async ({ other }: Awaited<ReturnType<typeof createScene>>) =>
  (await other.getInstance("long", "i")).details;
const GO = { type: "go", payload: "on" };
const DONE = { status: "complete", output: [STEPS * LARGE.length, "on"] };
const readsOf = ({ store }: Awaited<ReturnType<typeof createScene>>): number =>
  store.calls.filter(({ verb }) => verb === "loadSteps").length;

test("S5-012 a tick replays a history of many pages whole, and no step runs again", async () => {
  const scene = await createScene();
  await scene.other.sendEvent("long", "i", GO);
  expect(await scene.other.tick()).toMatchObject({ processed: 1, steps: 0 });
  expect(await statusOf(scene)).toMatchObject(DONE);
  expect([bodies.length, readsOf(scene)]).toEqual([STEPS, 3]);
});

test("S5-012 a loop that an event gives such a run at once replays it whole too", async () => {
  const scene = await createScene();
  const loop = scene.other.startLoop();
  await scene.other.sendEvent("long", "i", GO);
  await expect.poll(() => statusOf(scene)).toMatchObject(DONE);
  await loop.stop();
  expect([bodies.length, readsOf(scene)]).toEqual([STEPS, 3]);
});

test("S5-012 pages that cannot be read leave the run to its lease, told to the log, and take nobody's slot", async () => {
  const scene = await createScene((verb) => (verb === "loadSteps" ? "before" : "none"));
  await scene.other.sendEvent("long", "i", GO);
  expect(await scene.other.tick()).toMatchObject({ steps: 0 });
  expect(scene.warned).toContain("history.unread");
  expect(await statusOf(scene)).toMatchObject({ status: "running" });
  expect(bodies).toHaveLength(STEPS);
});

test("S5-012 a run whose pages are being read holds up none that was claimed with it", async () => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const { store } = await createScene();
  const SHORT = defineWorkflow({ name: "short" }, (_event, step) => step.do("work", () => open()));
  const loadSteps: typeof store.loadSteps = async (request) => {
    await opened;
    return store.loadSteps(request);
  };
  const other = createEngine({ workflows: { LONG, SHORT }, store: { ...store, loadSteps } });
  await other.sendEvent("long", "i", GO);
  await other.createInstance("short", { id: "j" });
  expect(await other.tick()).toMatchObject({ processed: 2 });
  expect((await other.getInstance("long", "i")).details).toMatchObject(DONE);
}, 20_000);

test("S5-012 time that went by while pages were read is counted once", async () => {
  const time = createFakeTime();
  const store = createMemoryStore({ now: time.now });
  const W = defineWorkflow({ name: "long" }, async (_event, step) => {
    for (let count = 0; count < STEPS; count += 1) await step.do(`large ${count}`, () => LARGE);
    await step.waitForEvent("go", { type: "go" });
    return step.now().getTime();
  });
  const { host } = time;
  const engine = createEngine({ workflows: { W }, store, host });
  await engine.workflows.W.create({ id: "i" });
  await engine.tick();
  await engine.sendEvent("long", "i", GO);
  let isFirst = true;
  const loadSteps: typeof store.loadSteps = async (request) => {
    if (isFirst) await time.advance(20_000);
    isFirst = false;
    return store.loadSteps(request);
  };
  const other = createEngine({ workflows: { W }, store: { ...store, loadSteps }, host });
  await other.tick();
  const { details } = await other.getInstance("long", "i");
  expect(details).toMatchObject({ status: "complete", output: time.now() });
});

test("S5-012 loops on a later page of a history are read in a process that has seen no loop before", async () => {
  const store = createMemoryStore();
  const author = async (step: WorkflowStep): Promise<unknown> => {
    for (let count = 0; count < STEPS; count += 1) await step.do(`large ${count}`, () => LARGE);
    return step.loop("l", {
      state: 0,
      commitEvery: 1,
      run: async (own, n) => {
        if (n === 2) return Loop.break((await own.waitForEvent("go", { type: "go" })).payload);
        await own.do("work", () => n);
        return Loop.continue(n + 1);
      },
    });
  };
  const W = defineWorkflow({ name: "long" }, (_event, step) => author(step));
  const engine = createEngine({ workflows: { W }, store });
  await engine.workflows.W.create({ id: "i" });
  await engine.tick();
  await engine.sendEvent("long", "i", GO);
  vi.resetModules();
  const process = await import("../verbs/engine.ts");
  const other = process.createEngine({ workflows: { W }, store });
  await other.tick();
  expect((await other.getInstance("long", "i")).details).toMatchObject({
    status: "complete",
    output: "on",
  });
});
