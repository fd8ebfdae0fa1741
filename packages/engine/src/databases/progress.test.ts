/** Progress while processes die, answers are lost and readers come and go: each entry is in the stream once, in order. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineWorkflow, Loop, type WorkflowStep } from "../index.ts";
import type { ProgressView } from "../ports/progress-service.ts";
import { createFaultStore, type Fault } from "../testing/fault-store.ts";
import { createHarness } from "../testing/harness.ts";
import { createRandom } from "../testing/random.ts";
import { readStream } from "../testing/streams.ts";
import { LOCAL_STORES, type TimedStore } from "./testing-stores.ts";

/** Time advances by this much, less than a lease. */
const STEP_MS = 5000;

/** Entries between steps, in bodies that succeed and fail, in a loop, in branches, after a wait. */
async function author(step: WorkflowStep): Promise<void> {
  await step.progress("begun");
  await step.do("first", async (context) => {
    await context.progress("f1");
    await context.progress("f2");
  });
  await step.loop("loop", {
    state: 0,
    run: async (own, n) => {
      await own.progress(`loop ${n}`);
      await own.do("work", (context) => context.progress(`work ${n}`));
      return n === 3 ? Loop.break() : Loop.continue(n + 1);
    },
  });
  await step.progress("between");
  await step
    .do("fails", { retries: { limit: 1, delay: 1000 } }, async (context) => {
      await context.progress("trying");
      throw new TypeError("no");
    })
    .catch(() => null);
  await step.sleep("nap", "1 minute");
  await step.join("both", {
    a: (own) => own.progress("a"),
    b: (own) => own.do("body", (context) => context.progress("b")),
  });
  await step.progress("last");
}

const workflow = defineWorkflow({ name: "w" }, (_event, step) => author(step));

/** What is true of the stream whatever happened. */
function assertWhole(entries: readonly ProgressView[], says: string): void {
  expect(
    entries.map(({ sequence }) => sequence),
    says,
  ).toEqual(entries.map((_, index) => index + 1));
  const between = entries.filter(({ attempt }) => attempt === null).map(({ value }) => value);
  const isOfBranch = (value: unknown): boolean => value === "a";
  expect(
    between.filter((value) => !isOfBranch(value)),
    says,
  ).toEqual(["begun", "loop 0", "loop 1", "loop 2", "loop 3", "between", "last"]);
  expect(between.filter(isOfBranch), says).toEqual(["a"]);
  const ofBodies = entries.flatMap(({ step, attempt, value }) =>
    attempt === null ? [] : [`${step} ${attempt} ${String(value)}`],
  );
  expect(new Set(ofBodies).size, says).toBe(ofBodies.length);
  for (const value of ["f1", "f2", "work 0", "work 3", "b"])
    expect(
      ofBodies.some((one) => one.endsWith(` ${value}`)),
      `${says}: ${value}`,
    ).toBe(true);
}

const FAULTS = ["kill before", "kill after", "before", "after", "late", "twice"] as const;

const isKill = (fault: string): fault is "kill before" | "kill after" => fault.startsWith("kill");

describe.each(LOCAL_STORES)("S6-017 progress under faults on %s", (_name, openStore) => {
  let timed: TimedStore;
  let plays = 0;
  beforeAll(async () => {
    timed = await openStore();
    // Loads the code that a run loads on first use.
    const harness = createHarness({ workflows: { W: workflow }, store: timed });
    await harness.workflows.W.create({ id: "first" });
    await harness.runThroughTime();
    assertWhole(await readStream(harness.engine, "first"), "without faults");
  });
  afterAll(() => timed.teardown());

  /** Plays the workflow to its end, with a fault at one commit. */
  async function play(fault: (typeof FAULTS)[number], at: number) {
    let commits = 0;
    const store = createFaultStore(timed.store, ({ verb }): Fault => {
      if (verb !== "commit" || (commits += 1) !== at) return "none";
      if (!isKill(fault)) return fault;
      harness.restart();
      return fault === "kill after" ? "none" : "before";
    });
    const harness = createHarness({ workflows: { W: workflow }, store: { ...timed, store } });
    plays += 1;
    const id = `x${plays}`;
    await harness.workflows.W.create({ id });
    const isOver = async (): Promise<boolean> =>
      (await harness.status("w", id)).status === "complete";
    for (let round = 0; round < 100 && !(await isOver()); round += 1) {
      void harness.tick();
      await harness.clock.advance(STEP_MS);
    }
    await store.deliverHeld();
    const status = await harness.status("w", id);
    expect(status, `${fault} at ${at}`).toMatchObject({ status: "complete" });
    return { entries: await readStream(harness.engine, id), commits };
  }

  test.each(FAULTS)(
    "S6-017 a commit that meets %s, whichever it is, neither loses nor doubles an entry",
    async (fault) => {
      for (let at = 1, isReached = true; isReached; at += 1) {
        const { entries, commits } = await play(fault, at);
        assertWhole(entries, `${fault} at ${at}`);
        isReached = commits >= at;
      }
    },
  );

  test("S6-017 a reader that comes back at random with its cursor sees what a reader at the end sees", async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const random = createRandom(seed);
      const harness = createHarness({ workflows: { W: workflow }, store: timed });
      const id = `r${seed}`;
      await harness.workflows.W.create({ id });
      const seen: ProgressView[] = [];
      for (let isEnded = false; !isEnded;) {
        void harness.tick();
        await harness.clock.advance(random.integer(0, STEP_MS));
        if (random.integer(1, 9) === 1) harness.restart();
        const page = await harness.engine.readProgress("w", id, {
          after: seen.at(-1)?.sequence ?? 0,
          limit: random.integer(1, 4),
        });
        // It did not receive the page, so it comes back with its old cursor.
        if (random.integer(1, 3) === 1) continue;
        expect(page.missed).toBe(0);
        seen.push(...page.entries);
        isEnded = page.ended;
      }
      assertWhole(seen, `seed ${seed}`);
      expect(seen).toEqual(await readStream(harness.engine, id));
    }
  });
});
