/** What happens beside a step that writes: other bodies, queued starts, results and events that share its boundary. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineWorkflow } from "./authoring.ts";
import { createDyingStore } from "./testing-dying-store.ts";
import { createEntry, keysOf } from "./testing-entries.ts";
import { type Bench, openBench, runUntilIdle, SERVERS } from "./testing-step-tx.ts";

const LEASE_MS = 30_000;
const ONCE = { retries: { limit: 0, delay: 0 } } as const;
const LATER = { retries: { limit: 1, delay: "1 hour" } } as const;

describe.each(SERVERS)("beside a step that writes on $name", (kind) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(kind);
  });
  afterAll(() => bench.close());

  /** The names of bodies, as often as they started. */
  function setupBodies() {
    const started: string[] = [];
    const body = (name: string, end: () => unknown) => () => {
      started.push(name);
      return end();
    };
    return { started, body, never: () => new Promise<never>(() => {}) };
  }

  /** Runs the workflow in a process that dies right after its first commit with writes, and then in another one. */
  async function runOverDeath(workflow: ReturnType<typeof defineWorkflow>): Promise<unknown> {
    const { name } = workflow;
    const { store, died } = createDyingStore(bench.store, { commit: 1, death: "after" });
    const dying = bench.createEngine({ W: workflow }, store);
    await dying.createInstance(name, { id: "i" });
    void dying.tick();
    await died;
    await bench.clock.advance(LEASE_MS + 1);
    const heir = bench.createEngine({ W: workflow });
    await runUntilIdle(heir);
    return (await heir.getInstance(name, "i")).details.output;
  }

  test("a body in flight is written as started: its death counts, and that of what had not started does not", async () => {
    const { started, body, never } = setupBodies();
    const workflow = defineWorkflow({ name: "in-flight", ...ONCE }, async (_event, step) => {
      const ends = await Promise.allSettled([
        step.do("slow", body("slow", never)),
        step
          .do("write", (tx) => createEntry(tx, "in-flight-1"))
          .then(() =>
            step.do(
              "next",
              body("next", () => "next"),
            ),
          ),
      ]);
      return ends.map(({ status }) => status);
    });
    expect(await runOverDeath(workflow)).toEqual(["rejected", "fulfilled"]);
    expect(started).toEqual(["slow", "next"]);
    expect(await keysOf(bench, "in-flight-")).toHaveLength(1);
  });

  test("a body that waits for its start while another step writes has not started", async () => {
    const { started, body } = setupBodies();
    const workflow = defineWorkflow({ name: "queued", ...ONCE }, async (_event, step) => {
      const ends = await Promise.allSettled([
        step.do("write", (tx) => createEntry(tx, "queued-1")),
        step
          .do("plain", () => "plain")
          .then(() =>
            step.do(
              "next",
              body("next", () => "next"),
            ),
          ),
      ]);
      return ends.map(({ status }) => status);
    });
    expect(await runOverDeath(workflow)).toEqual(["fulfilled", "fulfilled"]);
    expect(started).toEqual(["next"]);
  });

  test("a result and an event that shared a refused boundary are committed with the next", async () => {
    await bench.query(`insert into "entry_bank" ("id", "key") values ('sh', 'shared-taken')`);
    const { started, body } = setupBodies();
    const workflow = defineWorkflow({ name: "shared" }, async (_event, step) => {
      const ends = await Promise.all([
        step.waitForEvent("first", { type: "go" }).then(({ payload }) => payload),
        step.do(
          "plain",
          body("plain", () => "plain"),
        ),
        step.do("write", LATER, (tx) =>
          createEntry(tx, tx.attempt === 1 ? "shared-taken" : "shared-free"),
        ),
      ]);
      return [...ends, (await step.waitForEvent("second", { type: "go" })).payload];
    });
    const engine = bench.createEngine({ W: workflow });
    await engine.createInstance("shared", { id: "i" });
    await engine.sendEvent("shared", "i", { type: "go", payload: 1 });
    await runUntilIdle(engine);
    const { steps, events } = await engine.listHistory("shared", "i", {});
    expect(new Map(steps.map(({ name, status }) => [name, status]))).toEqual(
      new Map([
        ["first", "completed"],
        ["plain", "completed"],
        ["write", "waiting"],
      ]),
    );
    expect(events).toMatchObject([{ consumedByStepKey: "first" }]);
    await bench.clock.advance(3_600_000);
    await engine.sendEvent("shared", "i", { type: "go", payload: 2 });
    await runUntilIdle(engine);
    const { details } = await engine.getInstance("shared", "i");
    expect(details).toMatchObject({ status: "complete", output: [1, "plain", undefined, 2] });
    expect(started).toEqual(["plain"]);
  });

  test("S5-016 a body that may start once never starts twice, whichever runners die while a wait beside it is consumed", async () => {
    const { started, body, never } = setupBodies();
    const limits = { retries: { limit: 0, delay: 0 } };
    const workflow = defineWorkflow({ name: "dying-beside" }, async (_event, step) => {
      const ends = await Promise.allSettled([
        step.do("body", limits, body("body", never)),
        step.waitForEvent("go", { type: "go", onConsume: (tx) => createEntry(tx, "dying-1") }),
      ]);
      return ends.map(({ status }) => status);
    });
    const first = bench.createEngine({ W: workflow });
    await first.createInstance("dying-beside", { id: "i" });
    await first.sendEvent("dying-beside", "i", { type: "go" });
    for (const death of ["before", "before", "after", "after"] as const) {
      const { store, died } = createDyingStore(bench.store, { commit: 1, death, any: true });
      void bench.createEngine({ W: workflow }, store).tick();
      await died;
      await bench.clock.advance(LEASE_MS + 1);
    }
    const heir = bench.createEngine({ W: workflow });
    void heir.tick();
    const read = async () => (await heir.getInstance("dying-beside", "i")).details.output;
    await expect.poll(read).toEqual(["rejected", "fulfilled"]);
    expect(started).toEqual([]);
    expect(await keysOf(bench, "dying-")).toHaveLength(1);
  });
});
