import { expect, it } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { createEngine } from "../verbs/engine.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";

/** A process with two slots and a loop beside one that only ticks; the first one's claims are recorded. */
function openScene() {
  const time = createFakeTime();
  const memory = createMemoryStore({ now: time.now });
  const limits: number[] = [];
  const claim: typeof memory.claim = (request) => {
    limits.push(request.limit);
    return memory.claim(request);
  };
  const running = new Set<string>();
  let mostAtOnce = 0;
  const gates: (() => void)[] = [];
  const runStep = async (id: string, body: () => Promise<void>): Promise<void> => {
    running.add(id);
    mostAtOnce = Math.max(mostAtOnce, running.size);
    await body();
    running.delete(id);
  };
  const QUICK = defineWorkflow({ name: "quick" }, ({ instanceId }, step) =>
    step.do("only", () => runStep(instanceId, async () => undefined)),
  );
  const SLOW = defineWorkflow({ name: "slow" }, ({ instanceId }, step) =>
    step.do("only", { retries: { limit: 0, delay: 0 } }, () =>
      runStep(instanceId, () => new Promise((resolve) => gates.push(resolve))),
    ),
  );
  const workflows = { QUICK, SLOW };
  const { host } = time;
  const looping = createEngine({ workflows, store: { ...memory, claim }, host, concurrency: 2 });
  const other = createEngine({ workflows, store: memory, host });
  const create = async (key: "QUICK" | "SLOW", count: number): Promise<void> => {
    const named = Array.from({ length: count }, (_, index) => ({ id: `${key}-${index}` }));
    await other.workflows[key].createBatch(named);
  };
  const statuses = async (name: string): Promise<readonly string[]> => {
    const { instances } = await other.listInstances(name, { pageSize: 100 });
    return instances.map(({ details }) => details.status);
  };
  return {
    time,
    limits,
    running,
    gates,
    looping,
    other,
    create,
    statuses,
    mostAtOnce: () => mostAtOnce,
  };
}

it("a process whose slots come free quickly claims more runs than it has slots, and advances no more than those", async () => {
  const { time, limits, looping, create, statuses, mostAtOnce } = openScene();
  await create("QUICK", 12);
  const loop = looping.startLoop();
  await time.advance(0);
  expect(limits.slice(0, 2)).toEqual([2, 4]);
  expect(Math.max(...limits)).toBe(4);
  expect(mostAtOnce()).toBe(2);
  expect(await statuses("quick")).toEqual(Array.from({ length: 12 }, () => "complete"));
  await loop.stop();
});

it("claims no more than its slots while they are held: what waits is for others", async () => {
  const { time, limits, running, gates, looping, create, statuses } = openScene();
  await create("SLOW", 6);
  const loop = looping.startLoop();
  await time.advance(101);
  gates.shift()?.();
  await time.advance(60_000);
  gates.shift()?.();
  await time.advance(0);
  expect(limits).toEqual([2, 1, 1]);
  expect(running.size).toBe(2);
  expect(await statuses("slow")).toEqual([
    "queued",
    "queued",
    "running",
    "running",
    "complete",
    "complete",
  ]);
  const stopped = loop.stop({ graceMs: 0 });
  await time.advance(0);
  await stopped;
});

it("a run that waits for a slot in vain is handed back in a quarter of a second, and no attempt of it is lost", async () => {
  const { time, limits, running, gates, looping, other, create } = openScene();
  await create("QUICK", 2);
  await create("SLOW", 4);
  const loop = looping.startLoop();
  await time.advance(0);
  expect(limits).toEqual([2, 4]);
  expect([...running]).toEqual(["SLOW-0", "SLOW-1"]);
  expect(await other.tick()).toMatchObject({ processed: 0 });
  await time.advance(250);
  const ticked = other.tick();
  await time.advance(0);
  expect([...running]).toEqual(["SLOW-0", "SLOW-1", "SLOW-2", "SLOW-3"]);
  for (const open of gates) open();
  expect(await ticked).toMatchObject({ processed: 2 });
  await time.advance(0);
  const once = { attempts: 1, lostAttempts: 0, status: "completed" };
  for (const id of ["SLOW-0", "SLOW-1", "SLOW-2", "SLOW-3"])
    expect((await other.listHistory("slow", id, {})).steps).toMatchObject([once]);
  await loop.stop();
});

it("slots that were promised to runs which were handed back are free for others", async () => {
  const { time, running, gates, looping, other, create } = openScene();
  await create("QUICK", 2);
  await create("SLOW", 4);
  const loop = looping.startLoop();
  await time.advance(250);
  const ticked = other.tick();
  await time.advance(0);
  for (const open of gates.splice(0)) open();
  await ticked;
  for (const id of ["later-0", "later-1"]) await other.workflows.SLOW.create({ id });
  await time.advance(10_000);
  expect([...running]).toEqual(["later-0", "later-1"]);
  for (const open of gates.splice(0)) open();
  await time.advance(0);
  await loop.stop();
});

it("a loop that is stopped hands back what waits for a slot", async () => {
  const { time, running, gates, looping, other, create } = openScene();
  await create("QUICK", 2);
  await create("SLOW", 4);
  const loop = looping.startLoop();
  await time.advance(0);
  const stopped = loop.stop();
  await time.advance(0);
  const ticked = other.tick();
  await time.advance(0);
  expect([...running]).toEqual(["SLOW-0", "SLOW-1", "SLOW-2", "SLOW-3"]);
  for (const open of gates) open();
  await Promise.all([ticked, stopped]);
});

it("an instance that is created while slots come free quickly is claimed by its creator, and begins when one is free", async () => {
  const { time, running, gates, looping, create, statuses } = openScene();
  await create("QUICK", 2);
  const loop = looping.startLoop();
  await time.advance(0);
  const created = Array.from({ length: 6 }, (_, index) =>
    looping.workflows.SLOW.create({ id: `SLOW-${index}` }),
  );
  await Promise.all(created);
  await time.advance(0);
  expect([...running]).toEqual(["SLOW-0", "SLOW-1"]);
  expect(await statuses("slow")).toEqual([
    "queued",
    "queued",
    "running",
    "running",
    "running",
    "running",
  ]);
  for (const open of gates.splice(0)) open();
  await time.advance(0);
  expect([...running]).toEqual(["SLOW-2", "SLOW-3"]);
  for (const open of gates.splice(0)) open();
  await time.advance(0);
  for (const open of gates.splice(0)) open();
  await time.advance(0);
  await loop.stop();
});
