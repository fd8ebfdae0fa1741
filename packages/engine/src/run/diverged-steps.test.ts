import { expect, it } from "vitest";
import { defineWorkflow, type WorkflowStep } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

type Code = (step: WorkflowStep) => Promise<unknown>;

/** An instance that has reached its wait with the code `before`. */
async function setupUpgrade(before: Code) {
  let code = before;
  const w = defineWorkflow({ name: "w" }, (_event, step) => code(step));
  const harness = createHarness({ workflows: { W: w } });
  const send = async (type: string): Promise<void> => {
    await harness.sendEvent("w", "x", { type, payload: type });
    await harness.runUntilIdle();
  };
  await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  let seen = 0;
  return {
    harness,
    send,
    status: () => harness.status("w", "x"),
    /** From now on, another process with this code runs the instance. */
    deploy: async (after: Code): Promise<void> => {
      code = after;
      harness.restart();
      await send("look");
    },
    /** The log's divergences since the last call. */
    warnings: () => {
      const lines = harness.log.slice(seen);
      seen = harness.log.length;
      return lines.filter(({ event }) => event === "history.diverged").map(({ fields }) => fields);
    },
  };
}

/** Waits for anything that makes it look at its code again, until it learns that the run has ended. */
const look = async (step: WorkflowStep): Promise<void> => {
  try {
    for (;;) await step.waitForEvent("look", { type: "look" });
  } catch (error) {
    expect(error).toMatchObject({ code: "SCOPE_CLOSED" });
  }
};
const withLook =
  (rest: Code): Code =>
  async (step) => {
    void look(step);
    return rest(step);
  };
const waitFor =
  (name: string, type: string): Code =>
  async (step) =>
    (await step.waitForEvent(name, { type })).payload;

const notCalled = (stepKey: string, recorded: string | null): object => ({
  kind: "notCalled",
  stepKey,
  recorded,
  called: null,
});

it("S5-024 S3-052 status and log name a wait that the code no longer calls, while the run waits and after it ended", async () => {
  const { deploy, send, status, warnings, harness } = await setupUpgrade(
    withLook(waitFor("approval", "approve")),
  );
  expect(await status()).toEqual({ status: "waiting", runNumber: 1 });
  await deploy(withLook(waitFor("signature", "sign")));
  const diverged = [notCalled("approval", "approve")];
  expect(await status()).toEqual({ status: "waiting", runNumber: 1, diverged });
  expect(warnings()).toContainEqual(
    expect.objectContaining({ stepKeys: ["approval"], code: "HISTORY_DIVERGED" }),
  );
  await send("sign");
  expect(await status()).toEqual({ status: "complete", runNumber: 1, output: "sign", diverged });
  const { steps } = await harness.history("w", "x");
  expect(steps.find(({ name }) => name === "approval")?.error).toMatchObject({
    code: "STEP_NOT_AWAITED",
    message: "the workflow's code no longer calls this step",
  });
});

it("S5-024 a sleep and a step between attempts are named like a wait", async () => {
  const { deploy, status } = await setupUpgrade(
    withLook(async (step) => {
      void step.sleep("nap", "1 day");
      await step.do("try", { retries: { limit: 3, delay: "1 day" } }, () => {
        throw new RangeError("no");
      });
    }),
  );
  await deploy(withLook(waitFor("signature", "sign")));
  expect(new Set((await status()).diverged)).toEqual(
    new Set([notCalled("nap", null), notCalled("try", null)]),
  );
});

it("S5-024 status, log and history name a changed type of event until an event of the new type is taken", async () => {
  const { deploy, send, status, warnings, harness } = await setupUpgrade(
    withLook(waitFor("word", "old")),
  );
  await deploy(withLook(waitFor("word", "new")));
  const named = { stepKey: "word", recorded: "old", called: "new" };
  const diverged = [{ kind: "eventTypeChanged", ...named }];
  expect(await status()).toEqual({ status: "waiting", runNumber: 1, diverged });
  expect(warnings()).toMatchObject([{ ...named, code: "HISTORY_DIVERGED" }]);
  const { steps } = await harness.history("w", "x");
  expect(steps.find(({ name }) => name === "word")).toMatchObject({
    status: "waiting",
    waitEventType: "new",
    error: { code: "HISTORY_DIVERGED", details: { recorded: "old", called: "new" } },
  });
  await send("old");
  await send("look");
  expect(await status()).toMatchObject({ status: "waiting", diverged });
  await send("new");
  expect(await status()).toEqual({ status: "complete", runNumber: 1, output: "new" });
});

it("S5-024 a type that changed twice is named with the first, and not at all once it is back", async () => {
  const { deploy, status } = await setupUpgrade(withLook(waitFor("word", "old")));
  await deploy(withLook(waitFor("word", "new")));
  await deploy(withLook(waitFor("word", "newer")));
  const changed = { kind: "eventTypeChanged", stepKey: "word", recorded: "old", called: "newer" };
  expect((await status()).diverged).toEqual([changed]);
  await deploy(withLook(waitFor("word", "old")));
  expect(await status()).toEqual({ status: "waiting", runNumber: 1 });
});

it("S5-024 a changed type is in the log also where an event of the new type was there before", async () => {
  const { deploy, send, status, warnings } = await setupUpgrade(withLook(waitFor("word", "old")));
  await send("new");
  await deploy(withLook(waitFor("word", "new")));
  expect(await status()).toEqual({ status: "complete", runNumber: 1, output: "new" });
  expect(warnings()).toMatchObject([{ stepKey: "word", recorded: "old", called: "new" }]);
});

it("S5-024 a wait that comes behind a new step is named only until it is called", async () => {
  const { deploy, send, status } = await setupUpgrade(withLook(waitFor("word", "go")));
  await deploy(
    withLook(async (step) => {
      await step.waitForEvent("first", { type: "first" });
      return waitFor("word", "go")(step);
    }),
  );
  expect((await status()).diverged).toEqual([notCalled("word", "go")]);
  await send("first");
  expect(await status()).toEqual({ status: "waiting", runNumber: 1 });
});

it("S5-024 a wait that lost a race, or that a failing run left behind, is not named", async () => {
  const lost: Code = async (step) => {
    const left = step.waitForEvent("left", { type: "never" });
    await Promise.race([left, step.waitForEvent("go", { type: "go" })]);
    throw new RangeError("no more");
  };
  const { send, status } = await setupUpgrade(lost);
  await send("go");
  expect(await status()).toEqual({
    status: "errored",
    runNumber: 1,
    error: expect.objectContaining({ message: "no more" }) as unknown,
  });
});

it("S5-024 a run that the engine fails before its code came to a wait does not say that the wait is not called", async () => {
  const { deploy, status } = await setupUpgrade(async (step) => {
    await step.do("first", () => 1);
    return waitFor("look", "look")(step);
  });
  await deploy(async (step) => {
    await step.sleep("first", 1000);
    return waitFor("look", "look")(step);
  });
  expect(await status()).toEqual({
    status: "errored",
    runNumber: 1,
    error: expect.objectContaining({ code: "HISTORY_DIVERGED" }) as unknown,
  });
});

it("S5-024 a run that fails tells its error and the waits that its code no longer called", async () => {
  const { deploy, status } = await setupUpgrade(withLook(waitFor("approval", "approve")));
  await deploy(() => Promise.reject(new RangeError("no more")));
  expect(await status()).toMatchObject({
    status: "errored",
    error: { message: "no more" },
    diverged: expect.arrayContaining([notCalled("approval", "approve")]) as unknown,
  });
});

it("S5-024 an instance that is paused, resumed and terminated goes on telling it", async () => {
  const { deploy, status, harness } = await setupUpgrade(withLook(waitFor("approval", "approve")));
  await deploy(withLook(waitFor("signature", "sign")));
  const diverged = [notCalled("approval", "approve")];
  for (const command of ["pause", "resume", "terminate"] as const) {
    const { details } = await harness.engine.control("w", "x", command);
    expect(details.diverged).toEqual(diverged);
  }
  const { instances } = await harness.engine.listInstances("w", {});
  expect(instances).toMatchObject([{ id: "x", details: { status: "terminated", diverged } }]);
  expect((await harness.engine.control("w", "x", "restart")).details).toEqual({
    status: "queued",
    runNumber: 2,
  });
  expect(await status()).toEqual({ status: "queued", runNumber: 2 });
});

it("S5-024 status names ten steps at most, in 4 KiB, however many there are and long their names", async () => {
  const many =
    (names: readonly string[]): Code =>
    async (step) => {
      await Promise.all(names.map((name) => step.waitForEvent(name, { type: "never" })));
    };
  const short = await setupUpgrade(withLook(many(Array.from({ length: 30 }, (_, i) => `w${i}`))));
  await short.deploy(withLook(waitFor("signature", "sign")));
  expect((await short.status()).diverged).toHaveLength(10);
  const long = await setupUpgrade(
    withLook(many(Array.from({ length: 30 }, (_, i) => `w${i}${"%".repeat(250)}`))),
  );
  await long.deploy(withLook(waitFor("signature", "sign")));
  const { diverged } = await long.status();
  expect(diverged?.length).toBeGreaterThan(3);
  expect(Buffer.byteLength(JSON.stringify(diverged))).toBeLessThanOrEqual(4096);
});
