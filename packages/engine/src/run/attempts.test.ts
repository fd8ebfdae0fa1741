import { expect, it } from "vitest";
import { defineWorkflow } from "../index.ts";
import { createHarness, type Harness } from "../testing/harness.ts";

const LEASE_MS = 30_000;
const ONCE = { retries: { limit: 0, delay: 0 } } as const;

/** Bodies that the test ends by name, with counts of their starts. */
function setupGates() {
  const started: string[] = [];
  const gates = new Map<string, () => void>();
  const gated = (name: string) => (): Promise<string> => {
    started.push(name);
    return new Promise((resolve) => gates.set(name, () => resolve(name)));
  };
  const open = (name: string): void => gates.get(name)?.();
  return { started, gated, open };
}

interface Ticking {
  readonly harness: Pick<Harness<never>, "tick" | "clock">;
}

/** A tick that is not awaited. */
const tickAway = async ({ harness }: Ticking): Promise<void> => {
  void harness.tick();
  await harness.clock.advance(0);
};

it("a body in flight counts as an attempt though another step's result was committed meanwhile (S0-089)", async () => {
  const { started, gated, open } = setupGates();
  const fork = defineWorkflow({ name: "fork", ...ONCE }, (_event, step) =>
    Promise.allSettled([
      step.do("slow", gated("slow")),
      step.do("quick", gated("quick")).then(() => step.do("next", gated("next"))),
    ]),
  );
  const harness = createHarness({ workflows: { FORK: fork } });
  await harness.workflows.FORK.create({ id: "x" });
  await tickAway({ harness });
  open("quick");
  await harness.clock.advance(0);
  expect(started).toEqual(["slow", "quick", "next"]);
  harness.restart();
  await harness.clock.advance(LEASE_MS);
  await harness.runUntilIdle();
  expect(started).toEqual(["slow", "quick", "next"]);
  const { steps } = await harness.history("fork", "x");
  expect(
    steps.map(({ name, status, attempts, lostAttempts }) => [name, status, attempts, lostAttempts]),
  ).toEqual(
    expect.arrayContaining([
      ["quick", "completed", 1, 0],
      ["slow", "errored", 0, 1],
      ["next", "errored", 0, 1],
    ]),
  );
});

it("a step that follows another counts the attempt that was lost with its runner, at each loss (S0-090)", async () => {
  const { started, gated, open } = setupGates();
  const chain = defineWorkflow({ name: "chain" }, async (_event, step) => {
    await step.do("a", gated("a"));
    return step.do("b", { retries: { limit: 2, delay: 0 } }, gated("b"));
  });
  const harness = createHarness({ workflows: { CHAIN: chain } });
  await harness.workflows.CHAIN.create({ id: "x" });
  await tickAway({ harness });
  open("a");
  await harness.clock.advance(0);
  for (const _loss of [1, 2]) {
    harness.restart();
    await harness.clock.advance(LEASE_MS);
    await tickAway({ harness });
  }
  expect(started).toEqual(["a", "b", "b", "b"]);
  open("b");
  await harness.clock.advance(0);
  expect(await harness.status("chain", "x")).toMatchObject({ status: "complete", output: "b" });
  const { steps } = await harness.history("chain", "x");
  expect(steps).toMatchObject([
    { name: "a", attempts: 1, lostAttempts: 0 },
    { name: "b", attempts: 1, lostAttempts: 2 },
  ]);
});

it("a step never starts more often than it may, wherever its runner is lost (S0-090)", async () => {
  const { started, gated, open } = setupGates();
  const chain = defineWorkflow({ name: "chain" }, async (_event, step) => {
    await step.do("a", gated("a"));
    return step.do("b", ONCE, gated("b"));
  });
  const harness = createHarness({ workflows: { CHAIN: chain } });
  await harness.workflows.CHAIN.create({ id: "x" });
  await tickAway({ harness });
  open("a");
  await harness.clock.advance(0);
  harness.restart();
  await harness.clock.advance(LEASE_MS);
  await harness.runUntilIdle();
  expect(started).toEqual(["a", "b"]);
  expect(await harness.status("chain", "x")).toMatchObject({ status: "errored" });
});

it("a body that a commit named is shown as running once it outlives a renewal of the lease", async () => {
  const { gated, open } = setupGates();
  const slow = defineWorkflow({ name: "slow" }, async (_event, step) => {
    await step.do("before", () => 1);
    return step.do("body", gated("body"));
  });
  const harness = createHarness({ workflows: { SLOW: slow } });
  await harness.workflows.SLOW.create({ id: "x" });
  await tickAway({ harness });
  await harness.clock.advance(LEASE_MS / 2);
  expect((await harness.history("slow", "x")).steps).toMatchObject([
    { name: "before", status: "completed" },
    { name: "body", status: "running", attempts: 1, lostAttempts: 0 },
  ]);
  open("body");
  await harness.clock.advance(0);
  expect(await harness.status("slow", "x")).toMatchObject({ status: "complete" });
});

it("a body that outlives the lease's first renewal is shown as running", async () => {
  const { gated, open } = setupGates();
  const slow = defineWorkflow({ name: "slow" }, (_event, step) => step.do("body", gated("body")));
  const harness = createHarness({ workflows: { SLOW: slow } });
  await harness.workflows.SLOW.create({ id: "x" });
  await tickAway({ harness });
  await harness.clock.advance(LEASE_MS / 2);
  expect((await harness.history("slow", "x")).steps).toMatchObject([
    { name: "body", status: "running", attempts: 1 },
  ]);
  open("body");
  await harness.clock.advance(0);
  expect(await harness.status("slow", "x")).toMatchObject({ status: "complete" });
});
