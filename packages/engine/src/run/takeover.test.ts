import { expect, it } from "vitest";
import { defineWorkflow } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

const LEASE_MS = 30_000;
const ONCE = { retries: { limit: 0, delay: 0 } } as const;
const forever = (): Promise<never> => new Promise(() => {});

it("S2-007 a body that was killed at most once stays so when the instance was paused before anyone took it over", async () => {
  let starts = 0;
  const once = defineWorkflow({ name: "once", ...ONCE }, (_event, step) =>
    step.do("charge", () => {
      starts += 1;
      return forever();
    }),
  );
  const harness = createHarness({ workflows: { ONCE: once } });
  await harness.workflows.ONCE.create({ id: "x" });
  void harness.tick();
  await harness.clock.advance(0);
  await harness.engine.control("once", "x", "pause");
  harness.restart();
  await harness.clock.advance(LEASE_MS);
  await harness.runUntilIdle();
  await harness.engine.control("once", "x", "resume");
  void harness.tick();
  await harness.clock.advance(0);
  expect(starts).toBe(1);
  expect(await harness.status("once", "x")).toMatchObject({
    status: "errored",
    error: { name: "StepMaxAttemptsExceeded" },
  });
});

it("S5-017 a retry that began with its claim is booked on nobody when its process dies; from the takeover on attempts have rows", async () => {
  let starts = 0;
  const fork = defineWorkflow({ name: "fork" }, (_event, step) =>
    Promise.all([
      step.sleep("one", "20 seconds"),
      step.sleep("two", "20 seconds"),
      step.do("flaky", { retries: { limit: 1, delay: "1 second" } }, () => {
        starts += 1;
        if (starts === 1) throw new TypeError("the first attempt fails");
        return forever();
      }),
    ]),
  );
  const harness = createHarness({ workflows: { FORK: fork } });
  await harness.workflows.FORK.create({ id: "x" });
  await harness.runUntilIdle();
  await harness.clock.advance(1000);
  void harness.tick();
  await harness.clock.advance(0);
  expect(starts).toBe(2);
  harness.restart();
  await harness.clock.advance(LEASE_MS);
  void harness.tick();
  await harness.clock.advance(0);
  expect(starts).toBe(3);
  const { steps } = await harness.history("fork", "x");
  expect(steps.find((step) => step.name === "flaky")).toMatchObject({
    status: "running",
    attempts: 2,
    lostAttempts: 0,
  });
});

it("S2-007 attempts that died together all count, though one ends before replay has reached the others", async () => {
  const attempts: string[] = [];
  let isDead = true;
  const body =
    (name: string) =>
    ({ attempt }: { readonly attempt: number }): unknown => {
      attempts.push(`${name} ${attempt}`);
      return isDead ? forever() : name;
    };
  const fork = defineWorkflow({ name: "fork" }, async (_event, step) => {
    await Promise.all([step.do("first", () => 1), step.sleep("nap", 0)]);
    await Promise.all([
      step.do("quick", body("quick")),
      step.sleep("another nap", 0).then(() => step.do("late", body("late"))),
    ]);
  });
  const harness = createHarness({ workflows: { FORK: fork } });
  await harness.workflows.FORK.create({ id: "x" });
  void harness.tick();
  await harness.clock.advance(0);
  await harness.clock.advance(0);
  expect(attempts.toSorted()).toEqual(["late 1", "quick 1"]);
  harness.restart();
  isDead = false;
  await harness.clock.advance(LEASE_MS);
  await harness.runUntilIdle();
  expect(attempts.toSorted()).toEqual(["late 1", "late 2", "quick 1", "quick 2"]);
  expect(await harness.status("fork", "x")).toMatchObject({ status: "complete" });
});
