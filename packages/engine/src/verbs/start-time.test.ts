import { describe, expect, it, vi } from "vitest";
import { createEngine, defineWorkflow, type Platform } from "../index.ts";
import { createDrain } from "../drive/drain.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createHarness } from "../testing/harness.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

const note = defineWorkflow({ name: "note" }, ({ timestamp }, step) =>
  step.do("write", () => timestamp.getTime()),
);
const workflows = { NOTE: note };
const INSTANCES = "http://x/api/workflows/workflows/note/instances";

const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

/** A process on a store that counts its calls. @param offMs how far its clock is off the database's */
function openProcess({ offMs = 0, ...platform }: { offMs?: number } & Partial<Platform> = {}) {
  const time = createFakeTime();
  const store = createMemoryStore({ now: time.now });
  const calls: string[] = [];
  const create: typeof store.create = (instances) => {
    calls.push("create");
    return store.create(instances);
  };
  const wakeIn = vi.fn<Platform["wakeIn"]>(async () => undefined);
  const wakeNow = vi.fn<Platform["wakeNow"]>(async () => undefined);
  const engine = createEngine({
    workflows,
    store: { ...store, create },
    host: { ...time.host, now: () => time.now() + offMs },
    http: { open: true },
    logger: { log: () => undefined },
    platform: { defer: () => undefined, deadline: () => null, wakeIn, wakeNow, ...platform },
  });
  return { time, engine, calls, wakeIn, wakeNow };
}

describe("an instance that is to start later", () => {
  it.each([
    ["startAt as a Date", (now: number) => ({ startAt: new Date(now + HOUR_MS) })],
    ["startAt in milliseconds", (now: number) => ({ startAt: now + HOUR_MS })],
    ["delay as text", () => ({ delay: "1 hour" }) as const],
    ["delay in milliseconds", () => ({ delay: HOUR_MS })],
  ])("is queued until then: %s", async (_name, start) => {
    const harness = createHarness({ workflows });
    const startsAt = harness.clock.now() + HOUR_MS;
    const instance = await harness.workflows.NOTE.create(start(harness.clock.now()));
    expect(await instance.status()).toEqual({ status: "queued", runNumber: 1, startsAt });
    await harness.clock.advance(HOUR_MS - 1);
    expect(await harness.tick()).toMatchObject({ processed: 0, nextWakeAt: startsAt });
    await harness.clock.advance(1);
    await harness.runUntilIdle();
    // The event's timestamp is still that of the create.
    expect(await instance.status()).toEqual({
      status: "complete",
      runNumber: 1,
      output: startsAt - HOUR_MS,
    });
  });

  it("is not begun by the create itself, nor before its time by a loop, and on time though the loop polls rarely", async () => {
    const { engine, time } = openProcess();
    const loop = engine.startLoop({ pollMs: 10 * HOUR_MS });
    await time.advance(0);
    const instance = await engine.workflows.NOTE.create({ delay: HOUR_MS });
    await time.advance(HOUR_MS - 1);
    expect(await instance.status()).toMatchObject({ status: "queued" });
    await time.advance(1);
    expect(await instance.status()).toMatchObject({ status: "complete" });
    await loop.stop();
  });

  it.each([-YEAR_MS / 12, -HOUR_MS / 2, HOUR_MS / 2])(
    "starts by the database's clock where the process's is off by %i ms",
    async (offMs) => {
      const { engine, time } = openProcess({ offMs });
      const loop = engine.startLoop();
      const instance = await engine.workflows.NOTE.create({ startAt: time.now() + HOUR_MS });
      await time.advance(HOUR_MS - 1);
      expect(await instance.status()).toMatchObject({ status: "queued" });
      await time.advance(1);
      expect(await instance.status()).toMatchObject({ status: "complete" });
      await loop.stop();
    },
  );

  it("takes one trip, and has the platform woken when it is due and not before", async () => {
    const { engine, time, calls, wakeIn, wakeNow } = openProcess();
    const dueAt = time.now() + HOUR_MS;
    const { id: instanceId } = await engine.workflows.NOTE.create({ startAt: dueAt });
    expect(calls).toEqual(["create"]);
    const hint = { workflowName: "note", instanceId, reason: "create", dueAt };
    expect(wakeIn.mock.calls).toEqual([[HOUR_MS, hint]]);
    expect(wakeNow).not.toHaveBeenCalled();
  });

  it("has the platform woken at its time when it is resumed before, and now when it is past", async () => {
    const { engine, time, wakeIn, wakeNow } = openProcess();
    const early = await engine.workflows.NOTE.create({ delay: HOUR_MS });
    await early.pause();
    await time.advance(1000);
    wakeIn.mockClear();
    await early.resume();
    expect(wakeIn.mock.calls.map(([delayMs]) => delayMs)).toEqual([HOUR_MS - 1000]);
    expect(wakeNow).not.toHaveBeenCalled();
    await engine.workflows.NOTE.create({ startAt: time.now() - HOUR_MS });
    expect(wakeNow).toHaveBeenCalledOnce();
  });

  it("is woken for in an invocation whose ticks wake only for what they parked themselves", async () => {
    const wakeIn = vi.fn<Platform["wakeIn"]>(async () => undefined);
    const { platform } = createDrain({
      deadline: () => Infinity,
      defer: (work) => void work.catch(() => undefined),
      handOver: async () => undefined,
      wakeIn,
      wakesFor: "own",
      bounds: { logger: { log: () => undefined }, lingerMs: 0 },
    });
    const { engine } = openProcess({ ...platform, wakeIn });
    await engine.workflows.NOTE.create({ delay: HOUR_MS });
    expect(wakeIn.mock.calls.map(([delayMs]) => delayMs)).toEqual([HOUR_MS]);
  });

  it("of a batch: each has its own time", async () => {
    const harness = createHarness({ workflows });
    const [later, now] = await harness.workflows.NOTE.createBatch([
      { id: "later", delay: "1 day" },
      { id: "now" },
    ]);
    await harness.runUntilIdle();
    expect(await later?.status()).toMatchObject({ status: "queued" });
    expect(await now?.status()).toMatchObject({ status: "complete" });
    await harness.runThroughTime();
    expect(await later?.status()).toMatchObject({ status: "complete" });
  });

  it("keeps the first create's time when the idempotency key comes again with another", async () => {
    const harness = createHarness({ workflows });
    const create = (delay: number) => harness.workflows.NOTE.create({ idempotencyKey: "k", delay });
    const first = await create(HOUR_MS);
    const { startsAt } = await first.status();
    expect((await create(5 * HOUR_MS)).id).toBe(first.id);
    expect(await first.status()).toMatchObject({ status: "queued", startsAt });
  });

  it("is waited for by result, and terminated it shows no time any more", async () => {
    const harness = createHarness({ workflows });
    const instance = await harness.workflows.NOTE.create({ delay: 2000 });
    const result = instance.result();
    await harness.clock.advance(2000);
    await harness.runUntilIdle();
    await harness.clock.advance(1000);
    expect(await result).toBe(harness.clock.now() - 3000);
    const other = await harness.workflows.NOTE.create({ delay: HOUR_MS });
    await other.terminate();
    expect(await other.status()).toEqual({ status: "terminated", runNumber: 1 });
  });
});

describe("a time to start that cannot be", () => {
  const now = createFakeTime().now();
  it.each([
    ["both", { startAt: now, delay: 0 }, "INVALID_REQUEST"],
    ["a delay beyond a year", { delay: YEAR_MS + 1 }, "INVALID_DURATION"],
    ["an instant beyond a year", { startAt: now + YEAR_MS + 1 }, "INVALID_DURATION"],
    ["microseconds", { startAt: now * 1000 }, "INVALID_DURATION"],
    ["a delay before now", { delay: -1 }, "INVALID_DURATION"],
    ["no duration", { delay: "soon" }, "INVALID_DURATION"],
    ["a Date that is none", { startAt: new Date("soon") }, "INVALID_DURATION"],
    ["text", { startAt: "2026-01-01" }, "INVALID_DURATION"],
    ["null", { startAt: null }, "INVALID_DURATION"],
    ["what cannot be text", { startAt: Object.create(null) as unknown }, "INVALID_DURATION"],
    ["never", { startAt: Infinity }, "INVALID_DURATION"],
    ["a misspelt option", { startsAt: now }, "UNKNOWN_OPTION"],
  ])("is refused with its code, and nothing is written: %s", async (_name, start, code) => {
    const { engine, calls } = openProcess();
    const options = start as { readonly delay?: number };
    await expect(engine.workflows.NOTE.create(options)).rejects.toMatchObject({ code });
    const batch = [{ id: "good" }, { id: "bad", ...options }];
    await expect(engine.workflows.NOTE.createBatch(batch)).rejects.toMatchObject({ code });
    expect(calls).toEqual([]);
  });

  it("no further than a year is taken", async () => {
    const { engine, time } = openProcess();
    const { NOTE } = engine.workflows;
    const startsAt = time.now() + YEAR_MS;
    expect(await (await NOTE.create({ delay: "365 days" })).status()).toMatchObject({ startsAt });
    expect(await (await NOTE.create({ startAt: startsAt })).status()).toMatchObject({ startsAt });
  });
});

describe("a time to start over HTTP", () => {
  it("is taken by creates and batches, and shown by whoever shows the instance", async () => {
    const { engine, time } = openProcess();
    const startsAt = time.now() + HOUR_MS;
    const created = await engine.fetch(new Request(INSTANCES, post({ id: "a", delay: "1 hour" })));
    const view = { id: "a", details: { status: "queued", runNumber: 1, startsAt } };
    expect(await created.json()).toEqual(view);
    const instances = [{ id: "b", startAt: startsAt }];
    const batch = await engine.fetch(new Request(`${INSTANCES}/batch`, post({ instances })));
    expect(await batch.json()).toMatchObject({ instances: [{ id: "b", details: { startsAt } }] });
    const list = await engine.fetch(new Request(INSTANCES));
    expect(await list.json()).toMatchObject({
      instances: [{ details: { startsAt } }, { details: { startsAt } }],
    });
  });

  it.each([
    [{ startAt: "2026-01-01T00:00:00Z" }, "INVALID_REQUEST"],
    [{ startAt: -1 }, "INVALID_REQUEST"],
    [{ startAt: 1.5 }, "INVALID_REQUEST"],
    [{ delay: {} }, "INVALID_REQUEST"],
    [{ startAt: 1, delay: 1 }, "INVALID_REQUEST"],
    [{ startAt: 9e15 }, "INVALID_DURATION"],
    [{ delay: "2 years" }, "INVALID_DURATION"],
  ])("that cannot be is refused: %j", async (body, code) => {
    const { engine, calls } = openProcess();
    const answer = await engine.fetch(new Request(INSTANCES, post(body)));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code });
    const instances = [{ id: "b", ...body }];
    const batch = await engine.fetch(new Request(`${INSTANCES}/batch`, post({ instances })));
    expect(await batch.json()).toMatchObject({ code });
    expect(calls).toEqual([]);
  });
});
