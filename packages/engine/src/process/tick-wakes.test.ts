/** What a tick reports about what is next, and which of its own runs it takes. */
import { describe, expect, it } from "vitest";
import { defineWorkflow } from "../index.ts";
import type { TickInput, TickOutput } from "../ports/tick.ts";
import { createHarness } from "../testing/harness.ts";
import { setup } from "./testing-tick.ts";

describe("a tick that is woken", () => {
  it("S9-011 told to wait until an instant meets to the moment what it parked before all others, and leaves the rest to who waits for the next", async () => {
    const napper = defineWorkflow({ name: "nap" }, async (event, step) => {
      await step.sleep("nap", event.payload as number);
      await step.sleep("again", event.payload as number);
    });
    const harness = createHarness({ workflows: { NAP: napper } });
    const { clock, workflows } = harness;
    const begin = async (id: string, params: number): Promise<TickOutput[]> => {
      await workflows.NAP.create({ id, params });
      const outputs: TickOutput[] = [];
      const lingerEndsAt = clock.now() + 60_000;
      const bounds = { deadline: clock.now() + 900_000, wakesFor: "own", lingerEndsAt } as const;
      void harness.tick(bounds).then((output) => outputs.push(output));
      await clock.advance(1);
      return outputs;
    };
    const first = await begin("first", 9000);
    expect(await begin("later", 20_000)).toMatchObject([{ nextWakeAt: null }]);
    const before = await begin("before", 4000);
    expect([first, before]).toEqual([[], []]);
    await clock.advance(3999);
    expect(await harness.status("nap", "before")).toMatchObject({ status: "waiting" });
    // What "before" parks again is due before what the first waits for; after that, it has nothing left.
    await clock.advance(4000);
    expect(await harness.status("nap", "before")).toMatchObject({ status: "complete" });
    expect(before).toMatchObject([{ processed: 3, nextWakeInMs: null }]);
    await clock.advance(1000);
    expect(first).toEqual([]);
    await clock.advance(31_000);
    expect(await harness.status("nap", "later")).toMatchObject({ status: "complete" });
    expect(first).toMatchObject([{ moreDue: false, nextWakeInMs: null }]);
  });

  it("S9-011 woken for its own runs only, tells of what it parked unless something comes due before", async () => {
    const napper = defineWorkflow({ name: "nap" }, async (event, step) => {
      await step.sleep("nap", event.payload as number);
    });
    const { clock, workflows, tick } = createHarness({ workflows: { NAP: napper } });
    const park = async (params: number, bounds: TickInput = { wakesFor: "own" }) => {
      await workflows.NAP.create({ params });
      return tick(bounds);
    };
    const first = await park(60_000);
    expect(first).toMatchObject({ processed: 1, nextWakeInMs: 60_000 });
    expect(await tick({ wakesFor: "own" })).toMatchObject({ nextWakeInMs: null, quietMs: 60_000 });
    expect(await park(90_000)).toMatchObject({ processed: 1, nextWakeInMs: null });
    const earlier = await park(30_000);
    expect(earlier).toMatchObject({ processed: 1, nextWakeInMs: 30_000 });
    expect(await park(90_000, { wakesFor: "any" })).toMatchObject({ nextWakeInMs: 30_000 });
    await clock.advance(30_000);
    // Due work is taken. The tick that was woken for it has looked or is looking, and does not know what is parked now.
    expect(await park(90_000)).toMatchObject({ processed: 2, nextWakeInMs: null });
    expect(await tick()).toMatchObject({ processed: 0, nextWakeInMs: 30_000 });
  });

  it("S9-011 that takes what it parked itself wakes for what it parked beyond that", async () => {
    const napper = defineWorkflow({ name: "nap" }, async (event, step) => {
      await step.sleep("nap", event.payload as number);
    });
    let finish = (_value: string): void => {};
    const slow = defineWorkflow({ name: "slow" }, (_event, step) =>
      step.do("slow", () => new Promise<string>((resolve) => (finish = resolve))),
    );
    const { clock, workflows, tick } = createHarness({ workflows: { NAP: napper, SLOW: slow } });
    for (const params of [10_000, 60_000]) await workflows.NAP.create({ params });
    await workflows.SLOW.create();
    const ticking = tick({ wakesFor: "own" });
    await clock.advance(20_000);
    finish("done");
    expect(await ticking).toMatchObject({ processed: 4, nextWakeInMs: 40_000 });
  });

  it("S9-011 woken while others of its process have all slots, tells what comes next all the same", async () => {
    let finish = (_value: string): void => {};
    const finished = new Promise<string>((resolve) => (finish = resolve));
    const slow = defineWorkflow({ name: "slow" }, (_event, step) =>
      step.do("slow", () => finished),
    );
    const napper = defineWorkflow({ name: "nap" }, (_event, step) => step.sleep("nap", 10_000));
    const { clock, workflows, tick } = createHarness({
      workflows: { NAP: napper, SLOW: slow },
      concurrency: 1,
    });
    await workflows.NAP.create();
    await tick();
    await workflows.SLOW.create();
    const busy = tick({ wakesFor: "own" });
    await clock.advance(1);
    const woken = await tick({ wakesFor: "due" });
    expect(woken).toMatchObject({ processed: 0, moreDue: true, nextWakeInMs: 9999 });
    // A request's tick leaves work that it cannot take to the holders of the slots.
    expect(await tick({ wakesFor: "own" })).toMatchObject({ processed: 0, nextWakeInMs: null });
    finish("done");
    await busy;
  });

  it("S9-011 what comes due while its slots are taken is passed on, once, and what it parks later is its own to wake for", async () => {
    const napper = defineWorkflow({ name: "nap" }, async (event, step) => {
      await step.sleep("nap", event.payload as number);
    });
    let finish = (_value: string): void => {};
    const slow = defineWorkflow({ name: "slow" }, async (_event, step) => {
      await step.do("slow", () => new Promise<string>((resolve) => (finish = resolve)));
      await step.sleep("nap", 60_000);
    });
    const { clock, workflows, tick } = createHarness({
      workflows: { NAP: napper, SLOW: slow },
      concurrency: 1,
    });
    for (const params of [10_000, 20_000]) await workflows.NAP.create({ params });
    await tick();
    await workflows.SLOW.create();
    const passed: unknown[] = [];
    const passOn = async (next: object): Promise<void> => void passed.push(next);
    const ticking = tick({ wakesFor: "due", passOn });
    await clock.advance(30_000);
    finish("done");
    await clock.advance(1);
    expect(passed).toMatchObject([{ nextWakeInMs: expect.any(Number) as number }]);
    expect(await ticking).toMatchObject({ nextWakeInMs: expect.any(Number) as number });
    expect(passed).toHaveLength(1);
  });

  it("S9-011 woken while another's claim asks for all slots, takes what that one leaves", async () => {
    const { harness } = await setup(2);
    const ticks = [harness.tick({ wakesFor: "own" }), harness.tick({ wakesFor: "due" })];
    const [first, second] = await Promise.all(ticks);
    expect(first?.processed).toBe(2);
    expect(second).toMatchObject({ processed: 0, moreDue: false });
  });
});
