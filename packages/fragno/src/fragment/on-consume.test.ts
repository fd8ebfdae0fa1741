/** `onConsume` of waits: writes that are committed with the event's consumption. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { WorkflowError } from "@escapement/engine";
import type { Store } from "@escapement/engine/internal";
import { defineWorkflow } from "./authoring.ts";
import type { StepTx } from "./step-tx.ts";
import { type Bench, openBench, runUntilIdle, SERVERS } from "./testing-step-tx.ts";
import { createEntry, keysOf } from "./testing-entries.ts";

const ONCE = { retries: { limit: 0, delay: 0 } } as const;

const toCode = (error: unknown): unknown => (WorkflowError.is(error) ? error.code : error);

describe.each(SERVERS)("onConsume on $name", (kind) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(kind);
  });
  afterEach(() => bench.meddle((_statements, send) => send()));
  afterAll(() => bench.close());
  /** Starts an instance, sends it events, and runs it as far as it goes. */
  async function run(workflow: ReturnType<typeof defineWorkflow>, events: readonly unknown[] = []) {
    const { name } = workflow;
    const engine = bench.createEngine({ W: workflow });
    await engine.createInstance(name, { id: "i" });
    await runUntilIdle(engine);
    for (const payload of events) await engine.sendEvent(name, "i", { type: "paid", payload });
    await runUntilIdle(engine);
    const { details } = await engine.getInstance(name, "i");
    const history = await engine.listHistory(name, "i", {});
    return { engine, details, ...history };
  }

  test("onConsume is given the event, and its writes are committed with the event's consumption in one trip", async () => {
    const trips: number[] = [];
    const workflow = defineWorkflow({ name: "consume" }, async (_event, step) => {
      const paid = await step.waitForEvent<{ amount: number }>("payment", {
        type: "paid",
        onConsume: (tx, event) => {
          trips.push(bench.trips());
          createEntry(tx, `consume-${event.payload.amount}`);
        },
      });
      trips.push(bench.trips());
      return paid.payload.amount;
    });
    const { details, events } = await run(workflow, [{ amount: 7 }]);
    expect(details).toMatchObject({ status: "complete", output: 7 });
    expect(events).toMatchObject([{ consumedByStepKey: "payment" }]);
    expect((trips[1] ?? 0) - (trips[0] ?? 0)).toBe(1);
    expect(await keysOf(bench, "consume-")).toEqual(["consume-7"]);
  });

  test("a wait whose writes are refused fails on every replay; the event stays for another wait", async () => {
    await bench.query(`insert into "entry_bank" ("id", "key") values ('rc', 'refuse-taken')`);
    let calls = 0;
    const workflow = defineWorkflow({ name: "refuse" }, async (_event, step) => {
      const first = await step
        .tryWaitForEvent("first", {
          type: "paid",
          onConsume: (tx) => {
            calls += 1;
            createEntry(tx, "refuse-taken");
          },
        })
        .catch(toCode);
      await step.sleep("nap", "1 hour");
      const second = await step.waitForEvent<string>("second", {
        type: "paid",
        onConsume: (tx, event) => createEntry(tx, `refuse-${event.payload}`),
      });
      return [first, second.payload];
    });
    const { engine, events } = await run(workflow, ["money"]);
    expect(events).toMatchObject([{ consumedByStepKey: null }]);
    await bench.clock.advance(3_600_000);
    await runUntilIdle(engine);
    const { details } = await engine.getInstance("refuse", "i");
    expect(details).toMatchObject({ status: "complete", output: ["STEP_FAILED", "money"] });
    expect(calls).toBe(3);
    expect(await keysOf(bench, "refuse-")).toEqual(["refuse-taken", "refuse-money"]);
  });

  test("an onConsume that throws is not tried again; one that writes nothing consumes as usual", async () => {
    let calls = 0;
    const workflow = defineWorkflow({ name: "throw" }, async (_event, step) => {
      const first = await step
        .waitForEvent("first", {
          type: "paid",
          onConsume: () => {
            calls += 1;
            throw new RangeError("no");
          },
        })
        .catch((error: unknown) => (error instanceof Error ? error.name : error));
      const second = await step.waitForEvent<string>("second", {
        type: "paid",
        onConsume: () => undefined,
      });
      return [first, second.payload, calls];
    });
    const { details, events } = await run(workflow, ["money"]);
    expect(details).toMatchObject({ output: ["RangeError", "money", 1] });
    expect(events).toMatchObject([{ consumedByStepKey: "second" }]);
  });

  test("two waits of one type take one event each, while the first is still being consumed", async () => {
    const wait = (name: string) => ({
      type: "paid",
      onConsume: async (tx: StepTx, event: { readonly payload: unknown }) => {
        await bench.query("select 1 as one");
        createEntry(tx, `pair-${name}-${String(event.payload)}`);
      },
    });
    const workflow = defineWorkflow({ name: "pair" }, (_event, step) =>
      Promise.all(["a", "b"].map((name) => step.waitForEvent(name, wait(name)))).then((received) =>
        received.map(({ payload }) => payload),
      ),
    );
    const { details } = await run(workflow, [1, 2]);
    expect(details).toMatchObject({ output: [1, 2] });
    expect(new Set(await keysOf(bench, "pair-"))).toEqual(new Set(["pair-a-1", "pair-b-2"]));
  });

  test("an event that one wait could not consume satisfies another that is open already", async () => {
    const workflow = defineWorkflow({ name: "handed-on" }, (_event, step) =>
      Promise.all([
        step
          .waitForEvent("a", {
            type: "paid",
            onConsume: () => {
              throw new RangeError("no");
            },
          })
          .catch(toCode),
        step.waitForEvent("b", { type: "paid" }).then(({ payload }) => payload),
      ]),
    );
    const { details } = await run(workflow, ["money"]);
    expect(details).toMatchObject({ status: "complete", output: ["STEP_FAILED", "money"] });
  });

  test("what died with its runner beside an onConsume counts as lost, and the event is consumed once", async () => {
    let started = 0;
    const workflow = defineWorkflow({ name: "beside", ...ONCE }, async (_event, step) => {
      const body = step.do("body", () => {
        started += 1;
        return new Promise(() => {});
      });
      const wait = step.waitForEvent("payment", {
        type: "paid",
        onConsume: (tx) => createEntry(tx, "beside-paid"),
      });
      return (await Promise.allSettled([body, wait])).map(({ status }) => status);
    });
    const commit: Store["commit"] = (commits) =>
      started === 0 ? bench.store.commit(commits) : new Promise(() => {});
    const dying = bench.createEngine({ W: workflow }, { ...bench.store, commit });
    await dying.createInstance("beside", { id: "i" });
    await dying.sendEvent("beside", "i", { type: "paid" });
    void dying.tick();
    await expect.poll(() => started).toBe(1);
    await bench.clock.advance(30_001);
    const heir = bench.createEngine({ W: workflow });
    await runUntilIdle(heir);
    expect((await heir.getInstance("beside", "i")).details.output).toEqual([
      "rejected",
      "fulfilled",
    ]);
    expect(started).toBe(1);
    expect(await keysOf(bench, "beside-")).toEqual(["beside-paid"]);
  });

  test("a timeout runs no onConsume", async () => {
    let calls = 0;
    const workflow = defineWorkflow({ name: "timeout" }, (_event, step) =>
      step
        .waitForEvent("payment", {
          type: "paid",
          timeout: "1 hour",
          onConsume: () => void (calls += 1),
        })
        .catch(toCode),
    );
    const { engine } = await run(workflow);
    await bench.clock.advance(3_600_000);
    await runUntilIdle(engine);
    expect((await engine.getInstance("timeout", "i")).details.output).toBe("EVENT_TIMEOUT");
    expect(calls).toBe(0);
  });

  test("a wait that loses a race while its onConsume runs takes no event and writes nothing", async () => {
    const workflow = defineWorkflow({ name: "loses" }, async (_event, step) => {
      const { winner } = await step.race("r", {
        word: (own) =>
          own.waitForEvent("payment", {
            type: "paid",
            onConsume: async (tx) => {
              createEntry(tx, "loses-first");
              await new Promise(() => {});
            },
          }),
        work: (own) => own.do("work", () => 1),
      });
      const event = await step.waitForEvent<number>("payment", {
        type: "paid",
        onConsume: (tx) => createEntry(tx, "loses-second"),
      });
      return [winner, event.payload];
    });
    const engine = bench.createEngine({ W: workflow });
    await engine.createInstance("loses", { id: "i" });
    await engine.sendEvent("loses", "i", { type: "paid", payload: 7 });
    await runUntilIdle(engine);
    const { details } = await engine.getInstance("loses", "i");
    expect(details).toMatchObject({ status: "complete", output: ["work", 7] });
    expect(await keysOf(bench, "loses-")).toEqual(["loses-second"]);
    const { events } = await engine.listHistory("loses", "i", {});
    expect(events).toMatchObject([{ consumedByStepKey: "payment" }]);
  });
});
