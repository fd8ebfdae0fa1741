/** Instances that are rewound or forked, from the view of their workflows. */
import { expect, it } from "vitest";
import { defineWorkflow, Loop, RollbackError, type WorkflowError } from "../index.ts";
import { createHarness } from "../testing/harness.ts";
import { createKilledHarness } from "../testing/killed-at-commit.ts";

it("S6-022 steps that run again have new idempotency keys, each rewind others; steps before do not run", async () => {
  const keys: string[] = [];
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    for (const name of ["a", "b", "c"])
      await step.do(name, ({ idempotencyKey }) => void keys.push(idempotencyKey));
  });
  const { workflows, runUntilIdle } = createHarness({ workflows: { W } });
  const instance = await workflows.W.create({ id: "x" });
  await runUntilIdle();
  for (const step of ["b", "c"]) {
    await instance.rewind(step);
    await runUntilIdle();
  }
  await instance.restart();
  await runUntilIdle();
  expect(keys).toEqual(
    ["w/x/1/a", "w/x/1/b", "w/x/1/c", "w/x/2/b", "w/x/2/c", "w/x/3/c"].concat([
      "w/x/3/a",
      "w/x/3/b",
      "w/x/3/c",
    ]),
  );
});

it("S6-022 a body with one attempt, whose process died, is begun anew as if it had never been", async () => {
  const attempts: number[] = [];
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    await step.do("a", () => 1);
    await step.do("once", { retries: { limit: 0, delay: 0 } }, ({ attempt }) => {
      attempts.push(attempt);
      if (attempts.length === 1) return new Promise(() => {});
      return "done";
    });
  });
  const harness = createHarness({ workflows: { W } });
  const instance = await harness.workflows.W.create({ id: "x" });
  void harness.tick();
  await expect.poll(() => attempts).toEqual([1]);
  harness.restart();
  const found = await harness.workflows.W.get("x");
  await found.rewind("once");
  await harness.runUntilIdle();
  expect(attempts).toEqual([1, 1]);
  expect(await (await harness.workflows.W.get(instance.id)).status()).toMatchObject({
    status: "complete",
  });
});

it("S6-022 whoever runs it loses it: its body is aborted, and what that comes to is dropped", async () => {
  const log: string[] = [];
  let release = (_value: string): void => {};
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    await step.do("a", () => void log.push("a"));
    const result = await step.do("slow", ({ signal }) => {
      log.push("slow");
      signal.addEventListener("abort", () => void log.push("aborted"));
      return log.filter((line) => line === "slow").length === 1
        ? new Promise<string>((resolve) => (release = resolve))
        : "second";
    });
    await step.do("after", () => void log.push(result));
    return result;
  });
  const { workflows, tick, clock, runUntilIdle } = createHarness({ workflows: { W } });
  const instance = await workflows.W.create({ id: "x" });
  const first = tick();
  await expect.poll(() => log).toContain("slow");
  // The lease is renewed after a third of it, and that commit also has the outcome of `a`.
  await clock.advance(11_000);
  await instance.rewind("a");
  await clock.advance(11_000);
  release("first");
  await first;
  await runUntilIdle();
  expect(await instance.status()).toMatchObject({ status: "complete", output: "second" });
  expect(log).toEqual(["a", "slow", "aborted", "a", "slow", "second"]);
});

it("S6-022 a step in a race gives the race another end", async () => {
  let winner = "left";
  const W = defineWorkflow({ name: "w" }, (_event, step) =>
    step.race("r", {
      left: async (own) =>
        own.do("x", () => (winner === "left" ? 1 : Promise.reject(new Error("no")))),
      right: async (own) => {
        if (winner === "left") await own.sleep("for long", "1 hour");
        return own.do("y", () => 2);
      },
    }),
  );
  const { workflows, runUntilIdle } = createHarness({ workflows: { W } });
  const instance = await workflows.W.create({ id: "x" });
  await runUntilIdle();
  expect(await instance.status()).toMatchObject({ output: { winner: "left", value: 1 } });
  winner = "right";
  await instance.rewind("r/left/x");
  await runUntilIdle();
  expect(await instance.status()).toMatchObject({ output: { winner: "right", value: 2 } });
});

it("S6-022 a wait takes the event again that it had taken, and a callback its payload", async () => {
  const seen: unknown[] = [];
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    const { payload } = await step.waitForEvent("approval", { type: "go" });
    const called = await step.callback("called", { timeout: "1 hour" });
    await step.do("give", () => void urls.push(called.url));
    seen.push([payload, await called.payload()]);
  });
  const urls: string[] = [];
  const harness = createHarness({
    workflows: { W },
    callbacks: { signingKeys: ["a-key-of-at-least-32-characters-or-more"], url: "http://h/api" },
  });
  const instance = await harness.workflows.W.create({ id: "x" });
  await instance.sendEvent({ type: "go", payload: "yes" });
  await harness.runUntilIdle();
  const token = urls[0]?.split("/").at(-1) ?? "";
  await harness.engine.completeCallback(token, "called");
  await harness.runUntilIdle();
  await instance.rewind("approval");
  await harness.runUntilIdle();
  expect(await instance.status()).toMatchObject({ status: "complete" });
  expect(urls).toEqual([urls[0], urls[0]]);
  expect(seen.at(0)).toEqual(["yes", "called"]);
  expect(seen.at(-1)).toEqual(["yes", "called"]);
});

it("S6-022 a run that was cancelled goes on as if it had not been; one that was rolled back is refused", async () => {
  const ran: string[] = [];
  const W = defineWorkflow({ name: "w" }, async ({ payload }, step) => {
    await step.do(
      "pay",
      { undo: { run: () => void ran.push("undo") } },
      () => void ran.push("pay"),
    );
    if (payload === "fail") throw new RollbackError("no");
    await step.sleep("nap", "1 hour");
    return "rested";
  });
  const harness = createHarness({ workflows: { W } });
  const cancelled = await harness.workflows.W.create({ id: "c" });
  await harness.runUntilIdle();
  await cancelled.cancel();
  await harness.runUntilIdle();
  expect(await cancelled.status()).toMatchObject({ status: "terminated" });
  await cancelled.rewind("nap");
  await harness.runThroughTime();
  expect(await cancelled.status()).toMatchObject({ status: "complete", output: "rested" });
  expect(ran).toEqual(["pay"]);
  const undone = await harness.workflows.W.create({ id: "u", params: "fail" });
  await harness.runUntilIdle();
  expect(ran).toEqual(["pay", "pay", "undo"]);
  for (const verb of ["rewind", "fork"] as const)
    await expect(undone[verb]("pay")).rejects.toMatchObject({ code: "RUN_UNDONE" });
});

it("S6-022 a run is refused once its first undo may have begun, even if its process died in it", async () => {
  const asked: unknown[] = [];
  const ask = async (verb: "rewind" | "fork"): Promise<void> => {
    const instance = await harness.workflows.W.get("x");
    asked.push(await instance[verb]("tell").catch(({ code }: WorkflowError) => code));
  };
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    const undo = async (): Promise<void> => {
      await ask("rewind");
      if (asked.length > 1) return;
      harness.restart();
      await new Promise(() => {});
    };
    await step.do("pay", { undo }, () => 1);
    await step.do("tell", () => 2);
    throw new RollbackError("no");
  });
  const harness = createHarness({ workflows: { W } });
  await harness.workflows.W.create({ id: "x" });
  void harness.runUntilIdle();
  await harness.clock.advance(10);
  await ask("fork");
  await harness.clock.advance(60_000);
  await harness.runUntilIdle();
  expect(asked).toEqual(["RUN_UNDONE", "RUN_UNDONE", "RUN_UNDONE"]);
  expect(await harness.status("w", "x")).toMatchObject({ error: { code: "ROLLED_BACK" } });
});

it("S6-022 what stays is undone with what runs again, each once", async () => {
  const undone: string[] = [];
  let isBroken = false;
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    for (const name of ["a", "b"])
      await step.do(name, { undo: { run: () => void undone.push(name) } }, () => 1);
    await step.do("c", () => 1);
    if (isBroken) throw new RollbackError("no");
  });
  const { workflows, runUntilIdle } = createHarness({ workflows: { W } });
  const instance = await workflows.W.create({ id: "x" });
  await runUntilIdle();
  isBroken = true;
  await instance.rewind("b");
  await runUntilIdle();
  expect(undone).toEqual(["b", "a"]);
});

it("S6-022 a fork goes on from the step with what the other instance had, and has keys of its own", async () => {
  const keys: string[] = [];
  const W = defineWorkflow({ name: "w" }, async ({ payload }, step) => {
    const a = await step.do("a", ({ idempotencyKey }) => {
      keys.push(idempotencyKey);
      return "from a";
    });
    return step.do("b", ({ idempotencyKey }) => {
      keys.push(idempotencyKey);
      return [a, payload];
    });
  });
  const { workflows, runUntilIdle } = createHarness({ workflows: { W } });
  const instance = await workflows.W.create({ id: "x", params: 1 });
  await runUntilIdle();
  const forks = [await instance.fork("b", { id: "y" }), await instance.fork("b", { params: 2 })];
  await runUntilIdle();
  expect(await Promise.all(forks.map((fork) => fork.status()))).toMatchObject([
    { output: ["from a", 1], forkedFrom: { instanceId: "x", runNumber: 1, stepKey: "b" } },
    { output: ["from a", 2] },
  ]);
  expect(keys).toEqual(["w/x/1/a", "w/x/1/b", "w/y/1/b", `w/${forks[1]?.id}/1/b`]);
  await expect(instance.fork("b", { id: "y" })).rejects.toMatchObject({
    code: "INSTANCE_ID_ALREADY_EXISTS",
  });
});

it("S6-022 a process that is killed at any commit after a rewind loses nothing of it and repeats nothing before", async () => {
  const counted: number[] = [];
  for (let killAt = 1; killAt <= 8; killAt += 1)
    for (const isApplied of [false, true]) {
      const runs = new Map<string, number>();
      const ran = ({ stepKey }: { readonly stepKey: string }): string => {
        runs.set(stepKey, (runs.get(stepKey) ?? 0) + 1);
        return stepKey;
      };
      const W = defineWorkflow({ name: "w" }, async (_event, step) => {
        const a = await step.do("a", ran);
        const loop = await step.loop("l", {
          state: "",
          commitEvery: 1,
          keep: 0,
          run: async (own, state, iteration) => {
            const all = `${state} ${await own.do("x", ran)}`;
            await own.sleep("s", 1000);
            return iteration === 2 ? Loop.break(all) : Loop.continue(all);
          },
        });
        const { payload } = await step.waitForEvent("w", { type: "go" });
        return [a, loop, payload, await step.do("b", ran)];
      });
      let isRewound = false;
      const { harness, killed, commits } = createKilledHarness(
        { workflows: { W } },
        { killAt, isApplied, isCounted: () => isRewound },
      );
      const instance = await harness.workflows.W.create({ id: "x" });
      await instance.sendEvent({ type: "go", payload: "went" });
      await harness.runThroughTime();
      isRewound = true;
      await instance.rewind("l/~2/x");
      await Promise.race([harness.runThroughTime(), killed]);
      await harness.clock.advance(60_000);
      await harness.runThroughTime();
      expect(await harness.status("w", "x")).toMatchObject({
        status: "complete",
        output: ["a", " l/~0/x l/~1/x l/~2/x", "went", "b"],
      });
      const kept = ["a", "l/~0/x", "l/~1/x"].map((key) => runs.get(key));
      expect({ killAt, isApplied, kept }).toEqual({ killAt, isApplied, kept: [1, 1, 1] });
      // An outcome that was not committed may happen twice.
      for (const key of ["l/~2/x", "b"]) expect([2, 3]).toContain(runs.get(key));
      counted.push(commits());
    }
  expect(Math.max(...counted)).toBeGreaterThan(3);
});
