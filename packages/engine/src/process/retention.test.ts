import { describe, expect, it } from "vitest";
import type { Retention } from "../core/retention.ts";
import { createEngine, defineWorkflow } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createTickEngine } from "../verbs/tick-engine.ts";
import { createFaultStore, type Fault, type StoreCall } from "../testing/fault-store.ts";
import { createHarness } from "../testing/harness.ts";
import { VIRTUAL_START_AT } from "../testing/virtual-clock.ts";

const DAY_MS = 86_400_000;
const PURGES: ReadonlySet<string> = new Set(["findExpired", "deleteExpired", "emptyExpired"]);

interface Options {
  readonly ofWorkflow?: Retention;
  readonly ofEngine?: Retention;
  readonly plan?: (call: StoreCall) => Fault;
}

/** A workflow that fails, waits or completes as its params say, on a store whose calls are recorded. */
function setup({ ofWorkflow, ofEngine, plan }: Options) {
  let nowMs = VIRTUAL_START_AT;
  const store = createFaultStore(createMemoryStore({ now: () => nowMs }), plan);
  const clock = { now: () => nowMs, advance: (ms: number) => void (nowMs += ms) };
  const work = defineWorkflow(
    { name: "work", ...(ofWorkflow === undefined ? {} : { retention: ofWorkflow }) },
    async ({ payload }, step) => {
      await step.do("a", { retries: { limit: 0 } }, () => {
        if (payload === "fails") throw new RangeError("it fails");
      });
      if (payload === "waits") await step.waitForEvent("w", { type: "go" });
    },
  );
  const harness = createHarness({
    workflows: { WORK: work },
    store: { store, clock },
    ...(ofEngine === undefined ? {} : { retention: ofEngine }),
  });
  const ids = async (): Promise<readonly string[]> =>
    (await harness.engine.listInstances("work", { pageSize: 100 })).instances
      .map(({ id }) => id)
      .toSorted();
  const run = async (...params: readonly string[]): Promise<void> => {
    for (const [index, each] of params.entries())
      await harness.workflows.WORK.create({ id: `${each}-${index}`, params: each });
    await harness.runUntilIdle();
  };

  /** Days pass, with a tick every few seconds at the end. */
  const pass = async (days: number): Promise<void> => {
    await harness.clock.advance(days * DAY_MS);
    for (let count = 0; count < 5; count += 1) {
      await harness.tick();
      await harness.clock.advance(61_000);
    }
  };
  const purges = (): number => store.calls.filter(({ verb }) => PURGES.has(verb)).length;
  return { harness, store, ids, run, pass, purges };
}

describe("retention", () => {
  it("S8-005 S4-054 without it nothing that ended goes, and no trip looks", async () => {
    const { run, pass, ids, purges } = setup({});
    await run("ends", "fails");
    await pass(10_000);
    expect(await ids()).toEqual(["ends-0", "fails-1"]);
    expect(purges()).toBe(0);
  });

  it("S8-005 S4-054 the engine's default deletes in ticks what ended so long ago, and nothing that lives", async () => {
    const { run, pass, ids, harness } = setup({ ofEngine: "7 days" });
    await run("ends", "fails", "waits");
    await pass(6);
    expect(await ids()).toHaveLength(3);
    await pass(2);
    expect(await ids()).toEqual(["waits-2"]);
    await expect(harness.engine.getInstance("work", "ends-0")).rejects.toMatchObject({
      code: "INSTANCE_NOT_FOUND",
    });
    expect(harness.log).toContainEqual(
      expect.objectContaining({ event: "retention.purged", fields: { deletedCount: 2 } }),
    );
  });

  it.each<[string, Retention, readonly string[]]>([
    ["by how it ended", { complete: "7 days", errored: "30 days" }, ["fails-1", "stops-3"]],
    ["of all but one end", { after: "7 days", terminated: "forever" }, ["stops-3"]],
    ["S8-005 keepFailed", { after: "7 days", keepFailed: true }, ["fails-1"]],
    ["a workflow's forever before the engine's", "forever", ["ends-0", "fails-1", "stops-3"]],
    ["what it says nothing of is the engine's to say", { errored: "30 days" }, ["fails-1"]],
  ])("S8-005 %s", async (title, retention, left) => {
    const ofEngine = title.includes("engine's") ? { ofEngine: "1 day" as const } : {};
    const { run, pass, ids, harness } = setup({ ofWorkflow: retention, ...ofEngine });
    await run("ends", "fails", "waits");
    await harness.workflows.WORK.create({ id: "stops-3", params: "waits" });
    await harness.engine.control("work", "stops-3", "terminate");
    await pass(8);
    expect(await ids()).toEqual([...left, "waits-2"].toSorted());
  });

  it("S8-005 a policy that changes holds for what ended before", async () => {
    const { run, pass, store } = setup({ ofEngine: "forever" });
    await run("ends");
    await pass(10);
    const engine = createEngine({
      workflows: { WORK: defineWorkflow({ name: "work", retention: "7 days" }, () => 1) },
      store,
    });
    await engine.tick();
    await expect(engine.getInstance("work", "ends-0")).rejects.toMatchObject({
      code: "INSTANCE_NOT_FOUND",
    });
  });

  it("S8-005 an engine that only ticks purges as well", async () => {
    const { run, pass, store, ids } = setup({});
    await run("ends");
    await pass(10);
    const workflows = { WORK: defineWorkflow({ name: "work" }, () => 1) };
    await createTickEngine({ workflows, store, retention: "7 days" }).tick();
    expect(await ids()).toEqual([]);
  });

  it("S8-005 an engine that only ticks refuses a retention that is none with its first tick", async () => {
    const workflows = {
      WORK: defineWorkflow({ name: "work", retention: "a while" as never }, () => 1),
    };
    const store = createMemoryStore();
    await expect(createTickEngine({ workflows, store }).tick()).rejects.toMatchObject({
      code: "INVALID_DURATION",
    });
    expect(() => createEngine({ workflows, store })).toThrow("retention.after");
  });

  it("S8-005 looks once a minute, after what was due, and tells of no wake of its own", async () => {
    const { harness, store, run, purges } = setup({ ofEngine: "7 days" });
    await run("ends");
    await harness.clock.advance(60_001);
    const before = purges();
    await harness.workflows.WORK.create({ id: "x" });
    const { nextWakeInMs, moreDue } = await harness.tick();
    expect([nextWakeInMs, moreDue]).toEqual([null, false]);
    expect(store.calls.at(-1)?.verb).toBe("findExpired");
    expect(purges()).toBe(before + 1);
    for (let count = 0; count < 10; count += 1) await harness.tick();
    expect(purges()).toBe(before + 1);
  });

  it("S8-005 a tick without time or trips to spare does not purge", async () => {
    const { harness, run, purges } = setup({ ofEngine: "7 days" });
    await run("ends");
    await harness.clock.advance(61_000);
    const before = purges();
    await harness.tick({ tripsLeft: () => 5 });
    await harness.tick({ deadline: harness.clock.now() });
    expect(purges()).toBe(before);
  });

  it("S8-005 loops purge too, and stop waits for a purge", async () => {
    const { harness, run, ids } = setup({ ofEngine: "7 days" });
    await run("ends", "waits");
    await harness.clock.advance(8 * DAY_MS);
    const loop = harness.engine.startLoop();
    await harness.clock.advance(70_000);
    expect(await ids()).toEqual(["waits-1"]);
    const stopped = loop.stop();
    await harness.clock.advance(1);
    await stopped;
  });

  it.each<[Fault, string]>([
    ["before", "findExpired"],
    ["before", "deleteExpired"],
    ["after", "deleteExpired"],
    ["late", "deleteExpired"],
    ["twice", "deleteExpired"],
  ])(
    "S8-005 a trip that fails (%s, %s) fails no tick, and what is left goes later",
    async (fault, verb) => {
      let isMet = false;
      const { harness, run, pass, ids } = setup({
        ofEngine: "7 days",
        plan: (call) => {
          if (isMet || call.verb !== verb) return "none";
          isMet = true;
          return fault;
        },
      });
      await run("ends", "fails", "waits");
      await pass(8);
      expect(isMet).toBe(true);
      expect(await ids()).toEqual(["waits-2"]);
      const failures = harness.log.filter(({ event }) => event === "retention.failed");
      expect(failures).toHaveLength(fault === "twice" ? 0 : 1);
    },
  );

  it("S8-005 thousands go in one purge after another, each in trips of a bounded size", async () => {
    const { harness, pass, ids, store } = setup({ ofEngine: "7 days" });
    for (let batch = 0; batch < 10; batch += 1)
      await harness.workflows.WORK.createBatch(
        Array.from({ length: 100 }, (_, index) => ({ id: `${batch}-${index}` })),
      );
    await harness.runUntilIdle();
    await harness.workflows.WORK.create({ id: "lives", params: "waits" });
    await pass(8);
    for (let count = 0; (await ids()).length > 1 && count < 100; count += 1) await pass(0);
    expect(await ids()).toEqual(["lives"]);
    const deletes = store.calls.filter(({ verb }) => verb === "deleteExpired").length;
    expect(deletes).toBeGreaterThanOrEqual(1000 / 200);
  });
});

describe("the option", () => {
  const define = (retention: unknown) => () =>
    createEngine({
      workflows: { W: defineWorkflow({ name: "w", retention: retention as never }, () => 1) },
      store: createMemoryStore(),
    });
  const create = (retention: unknown) => () =>
    createEngine({
      workflows: {},
      store: createMemoryStore(),
      retention: retention as never,
    });

  it.each([
    ["soon", "INVALID_DURATION"],
    [-1, "INVALID_DURATION"],
    [null, "INVALID_DURATION"],
    [true, "INVALID_DURATION"],
    [Number.NaN, "INVALID_DURATION"],
    ["59 seconds", "INVALID_DURATION"],
    [{ errored: 0 }, "INVALID_DURATION"],
    [{ after: "a while" }, "INVALID_DURATION"],
    [{ failed: "1 day" }, "UNKNOWN_OPTION"],
    [{ keepFaild: true }, "UNKNOWN_OPTION"],
  ])("S8-005 %j is refused with %s, of a workflow and of an engine", (retention, code) => {
    expect(define(retention)).toThrow(expect.objectContaining({ code }));
    expect(create(retention)).toThrow(expect.objectContaining({ code }));
  });

  it.each(["forever", "1 minute", 60_000, "90 days", { after: "1 year" }, {}, "1000000 years"])(
    "S8-005 %j is taken",
    (retention) => {
      expect(define(retention)).not.toThrow();
      expect(create(retention)).not.toThrow();
    },
  );
});
