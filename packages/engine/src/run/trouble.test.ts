/** Runs that kill processes, calls that a database refuses, and changes by deploys. */
import { expect, it } from "vitest";
import { createEngine, defineWorkflow, type WorkflowStep } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createHarness } from "../testing/harness.ts";

const LEASE_MS = 30_000;
const forever = (): Promise<never> => new Promise(() => {});

it("S5-014 a run whose every process dies is given up after ten, and a restart reopens it", async () => {
  let starts = 0;
  let isDeadly = true;
  const w = defineWorkflow({ name: "w" }, (_event, step) =>
    step.do("body", () => {
      starts += 1;
      return isDeadly ? forever() : "alive";
    }),
  );
  const harness = createHarness({ workflows: { W: w } });
  await harness.workflows.W.create({ id: "x" });
  // A process that dies at once commits nothing of its run; only the leases show it.
  for (let death = 0; death < 10; death += 1) {
    const dying = harness.tick();
    void dying;
    harness.restart();
    await harness.clock.advance(700_000);
  }
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({
    status: "errored",
    error: { code: "CRASH_LOOP" },
  });
  isDeadly = false;
  await harness.engine.control("w", "x", "restart");
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "alive" });
  expect(starts).toBeLessThanOrEqual(11);
});

it("S5-016 S5-017 a deploy that puts a step before one in flight neither repeats it nor charges the new one", async () => {
  const charged: string[] = [];
  const ONCE = { retries: { limit: 0, delay: 0 } };
  let code = async (step: WorkflowStep): Promise<unknown> => {
    await step.do("prepare", () => 1);
    return step.do("charge", ONCE, () => {
      charged.push("charge");
      return forever();
    });
  };
  const w = defineWorkflow({ name: "w" }, (_event, step) => code(step));
  const harness = createHarness({ workflows: { W: w } });
  await harness.workflows.W.create({ id: "x" });
  void harness.tick();
  await harness.clock.advance(0);
  harness.restart();
  code = async (step) => {
    await step.do("prepare", () => 1);
    await step.do("audit", ONCE, () => void charged.push("audit"));
    return step.do("charge", ONCE, () => void charged.push("charge again"));
  };
  await harness.clock.advance(LEASE_MS);
  await harness.runUntilIdle();
  expect(charged).toEqual(["charge", "audit"]);
  const { steps } = await harness.history("w", "x");
  expect(steps.map((step) => [step.name, step.status, step.lostAttempts])).toEqual(
    expect.arrayContaining([
      ["audit", "completed", 0],
      ["charge", "errored", 1],
    ]),
  );
});

it("S5-010 a commit that the database refuses for good ends the run with COMMIT_REFUSED, and no body runs again", async () => {
  let starts = 0;
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    await step.do("odd", () => (starts += 1));
    await step.sleep("nap", "1 hour");
  });
  const store = createMemoryStore();
  const lines: string[] = [];
  const engine = createEngine({
    workflows: { W: w },
    logger: { log: (level, event) => void lines.push(`${level} ${event}`) },
    store: {
      ...store,
      commit: (commits) =>
        commits.some(({ changes }) => changes.length > 0)
          ? Promise.resolve(commits.map(() => ({ kind: "failed", error: new RangeError("no") })))
          : store.commit(commits),
    },
  });
  await engine.workflows.W.create({ id: "x" });
  for (let tick = 0; tick < 3; tick += 1) await engine.tick();
  expect((await engine.getInstance("w", "x")).details).toMatchObject({
    status: "errored",
    error: { code: "COMMIT_REFUSED" },
  });
  expect(starts).toBe(1);
  expect(lines).toContain("error run.errored");
});

it("S5-024 a wait whose type changed takes the new one; one that is not called any more is closed and named", async () => {
  let type = "old";
  let isCalled = true;
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    const left = isCalled ? step.waitForEvent("left", { type: "never" }) : null;
    void left;
    return (await step.waitForEvent("word", { type })).payload;
  });
  const harness = createHarness({ workflows: { W: w } });
  await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  type = "new";
  isCalled = false;
  harness.restart();
  await harness.sendEvent("w", "x", { type: "old", payload: 1 });
  await harness.runUntilIdle();
  await harness.sendEvent("w", "x", { type: "new", payload: 2 });
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: 2 });
  const events = harness.log.map(({ event, fields }) => [event, fields["stepKey"]]);
  expect(events).toContainEqual(["history.diverged", "word"]);
  expect(events).toContainEqual(["step.not_awaited", "left"]);
  const line = harness.log.find(({ event }) => event === "step.not_awaited");
  expect(line?.fields["message"]).toBe("the workflow's code no longer calls this step");
  const { steps } = await harness.history("w", "x");
  expect(steps.find(({ name }) => name === "left")).toMatchObject({
    status: "errored",
    error: { code: "STEP_NOT_AWAITED" },
  });
});

it("S5-021 a process clock that jumps back an hour stops no heartbeat: the run is not taken", async () => {
  const time = createFakeTime();
  let jumpMs = 0;
  let starts = 0;
  const w = defineWorkflow({ name: "w" }, (_event, step) =>
    step.do("long", async () => {
      starts += 1;
      await new Promise<void>((resolve) => void time.host.setTimer(60_000, resolve));
    }),
  );
  const store = createMemoryStore({ now: time.now });
  const logger = { log: () => undefined };
  const host = { ...time.host, now: () => time.now() + jumpMs };
  const slow = createEngine({ workflows: { W: w }, store, host, logger });
  const other = createEngine({ workflows: { W: w }, store, host: time.host, logger });
  await slow.workflows.W.create({ id: "x" });
  const ticking = slow.tick();
  await time.advance(5000);
  jumpMs = -3_600_000;
  for (let second = 0; second < 60; second += 5) {
    await time.advance(5000);
    expect(await other.tick()).toMatchObject({ processed: 0 });
  }
  await ticking;
  expect(starts).toBe(1);
  expect((await slow.getInstance("w", "x")).details).toMatchObject({ status: "complete" });
});

it("S5-022 a process with the same runnerId takes its own leases at once, another one waits", async () => {
  const time = createFakeTime();
  let isDeadly = true;
  const w = defineWorkflow({ name: "w" }, (_event, step) =>
    step.do("body", () => (isDeadly ? forever() : "done")),
  );
  const store = createMemoryStore({ now: time.now });
  const engineOf = (runnerId: string, isDead: () => boolean) =>
    createEngine({
      workflows: { W: w },
      store: { ...store, commit: (all) => (isDead() ? forever() : store.commit(all)) },
      host: time.host,
      logger: { log: () => undefined },
      runnerId,
    });
  let isDead = false;
  const first = engineOf("pod-0", () => isDead);
  await first.workflows.W.create({ id: "x" });
  void first.tick();
  await time.advance(0);
  [isDead, isDeadly] = [true, false];
  expect(await engineOf("pod-1", () => false).tick()).toMatchObject({ processed: 0 });
  expect(await engineOf("pod-0", () => false).tick()).toMatchObject({ processed: 1 });
  expect((await first.getInstance("w", "x")).details).toMatchObject({ output: "done" });
});

it("S5-020 a loop that finds only locked rows looks at most twice a second", async () => {
  const time = createFakeTime();
  let claims = 0;
  const store = createMemoryStore({ now: time.now });
  const w = defineWorkflow({ name: "w" }, () => null);
  const engine = createEngine({
    workflows: { W: w },
    host: time.host,
    logger: { log: () => undefined },
    store: {
      ...store,
      claim: async () => {
        claims += 1;
        return {
          now: time.now(),
          runs: [],
          nextWakeAt: time.now() - 1,
          nextDueAt: time.now() - 1,
          suspectDue: false,
        };
      },
    },
  });
  const loop = engine.startLoop();
  await time.advance(10_000);
  await loop.stop();
  expect(claims).toBeLessThanOrEqual(20);
});

it("S5-015 a run under suspicion is claimed alone: what dies with it costs no other run an attempt", async () => {
  const w = defineWorkflow({ name: "w" }, (event, step) =>
    step.do("body", () => (event.instanceId === "poison" ? forever() : "done")),
  );
  const harness = createHarness({ workflows: { W: w } });
  const die = async (): Promise<void> => {
    void harness.tick();
    harness.restart();
    await harness.clock.advance(700_000);
  };
  await harness.workflows.W.create({ id: "poison" });
  for (let death = 0; death < 3; death += 1) await die();
  await harness.workflows.W.create({ id: "other" });
  await die();
  expect(await harness.status("w", "other")).toMatchObject({ status: "queued" });
  void harness.tick();
  await harness.clock.advance(0);
  const beside = await harness.tick();
  expect(beside.processed).toBe(0);
  harness.restart();
  await harness.clock.advance(1000);
  await harness.runUntilIdle();
  expect(await harness.status("w", "other")).toMatchObject({ status: "complete", output: "done" });
  const { steps } = await harness.history("w", "other");
  for (const step of steps) expect(step).toMatchObject({ attempts: 1, lostAttempts: 0 });
});
