/** `step.receive` and replies under crashes, lost answers and late calls. */
import { beforeAll, describe, expect, it } from "vitest";
import { defineWorkflow, Loop } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createFaultStore, type Fault } from "../testing/fault-store.ts";
import { createHarness, type Harness } from "../testing/harness.ts";
import { createKilledHarness } from "../testing/killed-at-commit.ts";

// Loaded in advance, so that loading takes no time.
beforeAll(() => Promise.all([import("./scopes/run-scope.ts"), import("./receive-step.ts")]));

const TOTAL = 12;

/** Takes questions in batches, replies to each, and adds them up; beside it, a wait for one event takes some of them. */
const SERVER = defineWorkflow({ name: "w" }, async (_event, step) => {
  const asked = await step.waitForEvent<number>("first", { type: "ask" });
  asked.reply(asked.payload);
  const seen = [asked.payload];
  return step.loop("serve", {
    state: seen,
    commitEvery: 2,
    run: async (s, state: readonly number[]) => {
      const batch = await s.receive<number>("in", { types: ["ask", "tell"], count: 3 });
      for (const event of batch) event.reply(event.payload);
      const all = [...state, ...batch.map(({ payload }) => payload)];
      await s.do("note", () => all.length);
      return all.length < TOTAL ? Loop.continue(all) : Loop.break(all);
    },
  });
});

type ServerHarness = Pick<
  Harness<{ readonly W: typeof SERVER }>,
  "engine" | "workflows" | "runUntilIdle" | "runThroughTime" | "status"
>;

async function serve(harness: ServerHarness): Promise<void> {
  const instance = await harness.workflows.W.create({ id: "x", onExisting: "return" });
  for (let n = 0; n < TOTAL; n += 1) {
    await harness.engine.sendEvent("w", "x", {
      type: n % 3 === 2 ? "tell" : "ask",
      payload: n,
      eventId: `q${n}`,
    });
    if (n % 4 === 3) await harness.runUntilIdle();
  }
  await harness.runThroughTime();
  expect(instance.id).toBe("x");
}

async function expectServed(harness: ServerHarness, label: unknown): Promise<void> {
  const { status, output } = await harness.status("w", "x");
  // The wait for one event takes the first question; the batches take the others in order.
  const expected = Array.from({ length: TOTAL }, (_, n) => n);
  expect({ label, status, output }).toEqual({ label, status: "complete", output: expected });
  for (let n = 0; n < TOTAL; n += 1)
    expect(await harness.engine.getReply("w", "x", `q${n}`)).toEqual({ answered: true, reply: n });
}

describe("S6-014 a process that dies at a commit", () => {
  async function playWithCrash(killAt: number, isApplied: boolean): Promise<number> {
    const { harness, time, killed, commits } = createKilledHarness(
      { workflows: { W: SERVER } },
      { killAt, isApplied },
    );
    await Promise.race([serve(harness), killed]);
    await time.advance(0);
    await time.advance(60_000);
    await serve(harness);
    await expectServed(harness, { killAt, isApplied });
    return commits();
  }

  it.each([false, true])(
    "S6-014 loses no event, takes none twice, and answers each (applied: %s)",
    async (isApplied) => {
      const calm = await playWithCrash(0, isApplied);
      expect(calm).toBeGreaterThan(5);
      for (let killAt = 1; killAt <= calm; killAt += 1) await playWithCrash(killAt, isApplied);
    },
  );
});

describe("S6-014 a database that loses answers, or hears late or twice", () => {
  it.each(["before", "after", "late", "twice"] as const)("S6-014 %s", async (fault: Fault) => {
    for (let failAt = 1; failAt <= 12; failAt += 1) {
      const time = createFakeTime();
      let commits = 0;
      const store = createFaultStore(createMemoryStore({ now: time.now }), ({ verb }) =>
        verb === "commit" && (commits += 1) === failAt ? fault : "none",
      );
      const harness = createHarness({ workflows: { W: SERVER }, store: { store, clock: time } });
      const served = serve(harness).then(() => true);
      // A commit whose answer is lost is repeated after a while.
      const isServed = (): Promise<boolean> => Promise.race([served, Promise.resolve(false)]);
      while (!(await isServed())) await harness.clock.advance(1000);
      await store.deliverHeld();
      await expectServed(harness, { failAt, fault });
    }
  });
});

it("S6-014 a reply that a stale runner commits late does not replace the one that was given", async () => {
  let runs = 0;
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    const event = await step.waitForEvent("in", { type: "ask" });
    runs += 1;
    event.reply(runs);
    await step.waitForEvent("more", { type: "more" });
  });
  const { harness, time, killed } = createKilledHarness(
    { workflows: { W } },
    { killAt: 1, isApplied: false },
  );
  await harness.workflows.W.create({ id: "x" });
  await harness.engine.sendEvent("w", "x", { type: "ask", eventId: "q" });
  await Promise.race([harness.runUntilIdle(), killed]);
  await time.advance(60_000);
  await harness.runUntilIdle();
  expect(runs).toBe(2);
  expect(await harness.engine.getReply("w", "x", "q")).toEqual({ answered: true, reply: 2 });
});
