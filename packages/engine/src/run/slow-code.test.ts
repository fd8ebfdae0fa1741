/** Code that takes long to load, as from a network file system, in a process that does not live long. Virtual time continues meanwhile. */
import { beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { Late } from "../core/late.ts";
import { defineWorkflow } from "../index.ts";
import { createHarness, type Harness } from "../testing/harness.ts";
import type * as OtherOutcomes from "./other-outcomes.ts";
import { createGate } from "./testing-rollback-attack.ts";

let loaded: typeof OtherOutcomes;
let otherOutcomes: Late<typeof OtherOutcomes>;

vi.mock("./late-code.ts", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  otherOutcomes: () => otherOutcomes(),
}));

beforeAll(async () => {
  loaded = await import("./other-outcomes.ts");
});

/** Makes the code available. */
let arrive: () => void;
/** Makes the body fail. */
let fail: () => void;
let attempts: number[];
let harness: Harness<{ W: typeof W }>;

const W = defineWorkflow({ name: "w" }, (_event, step) =>
  step.do("fails once", { retries: { limit: 1, delay: 1000 } }, async ({ attempt }) => {
    attempts.push(attempt);
    if (attempt > 1) return "done";
    await mayFail.opened;
    throw new RangeError("once");
  }),
);
let mayFail = createGate();

beforeEach(async () => {
  const code = createGate();
  let isThere = false;
  arrive = () => {
    isThere = true;
    code.open();
  };
  otherOutcomes = () => (isThere ? loaded : code.opened.then(() => loaded));
  mayFail = createGate();
  fail = mayFail.open;
  attempts = [];
  harness = createHarness({ workflows: { W } });
  await harness.workflows.W.create({ id: "x" });
});

async function expectDone(): Promise<void> {
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "done" });
  const { steps } = await harness.history("w", "x");
  expect(steps).toMatchObject([{ status: "completed", attempts: 2, lostAttempts: 0 }]);
}

it("S9-010 code that comes after the time for bodies is over is still waited for: what the body came to is recorded before the end", async () => {
  const ticking = harness.tick({ deadline: harness.clock.now() + 10_000 });
  await harness.clock.advance(7500);
  fail();
  await harness.clock.advance(1000);
  arrive();
  expect(await ticking).toMatchObject({ processed: 1, moreDue: true });
  await harness.runThroughTime(2000);
  await expectDone();
  expect(attempts).toEqual([1, 2]);
});

it("S9-010 an invocation that ends while code is loaded costs its lease and one more call of the body, and none of the author's retries", async () => {
  void harness.tick({ deadline: harness.clock.now() + 10_000 });
  await harness.clock.advance(7500);
  fail();
  await harness.clock.advance(2500);
  harness.restart();
  arrive();
  await harness.runThroughTime(60_000);
  await expectDone();
  // As if a process ended before the answer to its last commit: the body runs again.
  expect(attempts).toEqual([1, 1, 2]);
});

it("S9-010 the lease is renewed while code is loaded, however long that takes", async () => {
  const ticking = harness.tick();
  await harness.clock.advance(0);
  fail();
  await harness.clock.advance(300_000);
  arrive();
  await ticking;
  await harness.runThroughTime(2000);
  await expectDone();
  expect(attempts).toEqual([1, 2]);
});
