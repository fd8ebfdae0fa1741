/** Promises of scopes under hostile use. */
import { expect, it } from "vitest";
import { defineWorkflow, type JoinError, Loop, type WorkflowStep } from "../../index.ts";
import { createHarness } from "../../testing/harness.ts";

const runOf = async (
  body: (step: WorkflowStep) => Promise<unknown>,
  options: { limits?: object; repeatedNames?: "cached" } = {},
) => {
  const { limits = {}, ...rest } = options;
  const w = defineWorkflow({ name: "w", ...rest }, async (_event, step) => body(step as never));
  const harness = createHarness({ workflows: { W: w }, limits });
  await harness.workflows.W.create({ id: "x" });
  return harness;
};

it("a loop whose iterations await none of their steps stops no timer and is stopped", async () => {
  let turns = 0;
  let isHung = false;
  const harness = await runOf(
    (step) =>
      step.loop("poll", {
        run: (s) => {
          void s.do("forgotten", () => null);
          turns += 1;
          isHung ||= turns > 500;
          return isHung ? Loop.break() : undefined;
        },
      }),
    { limits: { maxIdleCalls: 50, maxStepsPerRun: 30 } },
  );
  await harness.runUntilIdle();
  expect(isHung).toBe(false);
  expect(await harness.status("w", "x")).toMatchObject({ status: "errored" });
});

it("a loop of tries that await nothing stops no timer and is stopped", async () => {
  let turns = 0;
  let isHung = false;
  const harness = await runOf(
    async (step) => {
      while (!isHung) {
        await step.try("t", (s) => void s.sleep("forgotten", "1 day"));
        turns += 1;
        isHung ||= turns > 500;
      }
    },
    { limits: { maxIdleCalls: 50 } },
  );
  await harness.runUntilIdle();
  expect(isHung).toBe(false);
  expect(await harness.status("w", "x")).toMatchObject({ error: { code: "RUN_SPINNING" } });
});

it("a loop of scopes without steps is stopped", async () => {
  let turns = 0;
  const harness = await runOf(
    (step) =>
      step.loop("poll", {
        run: async (s) => {
          await s.join("nothing", {});
          turns += 1;
          return turns > 500 ? Loop.break() : undefined;
        },
      }),
    { limits: { maxIdleCalls: 50 } },
  );
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ error: { code: "RUN_SPINNING" } });
});

it("repeats of a settled scope under cached names are stopped", async () => {
  let turns = 0;
  const harness = await runOf(
    async (step) => {
      while (turns < 500) {
        await step.join("j", { a: (s) => s.do("x", () => 1) });
        turns += 1;
      }
    },
    { limits: { maxIdleCalls: 50 }, repeatedNames: "cached" },
  );
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ error: { code: "RUN_SPINNING" } });
});

it("idle calls between steps are no more idle in a replay than the first time", async () => {
  const harness = await runOf(
    async (step) => {
      for (let round = 0; round < 10; round += 1) {
        await step.try("t", () => 1);
        await step.try("t", () => 1);
        await step.do("d", () => 1);
      }
      await step.sleep("night", "1 day");
      return "done";
    },
    { limits: { maxIdleCalls: 10 } },
  );
  await harness.runThroughTime();
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "done" });
});

it("a loop has as many iterations as it likes, losers without a row included", async () => {
  const harness = await runOf(
    (step) =>
      step.loop("poll", {
        state: 0,
        commitEvery: 1,
        run: async (s, n) => {
          await s.race("r", {
            a: (b) => b.do("a", () => n),
            b: (b) => b.join("inner", { x: (c) => c.sleep("long", "1 day") }),
          });
          return n === 60 ? Loop.break(n) : Loop.continue(n + 1);
        },
      }),
    { limits: { maxStepsPerRun: 40 } },
  );
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: 60 });
});

it("sleeps that a loop removes do not raise the limit of steps", async () => {
  const harness = await runOf(
    async (step) => {
      await step.loop("nap", {
        state: 0,
        commitEvery: 1,
        keep: 0,
        run: async (s, n) => {
          await s.sleepUntil("past", 0);
          return n === 30 ? Loop.break(n) : Loop.continue(n + 1);
        },
      });
      for (let n = 0; n < 20; n += 1) await step.do("d", () => n);
    },
    { limits: { maxStepsPerRun: 10 } },
  );
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ error: { code: "RUN_STEP_LIMIT" } });
});

it.each([
  ["ends", 27, "complete"],
  ["fails", 27, "complete"],
])("a loop that %s keeps its end when commitEvery is smaller in the next deploy", async (how) => {
  let commitEvery = 20;
  const ran: number[] = [];
  const harness = await runOf(async (step) => {
    const end = await step
      .loop("poll", {
        state: 0,
        commitEvery,
        run: async (s, n) => {
          await s.do("a", () => void ran.push(n));
          if (n < 27) return Loop.continue(n + 1);
          if (how === "fails") throw new RangeError("full");
          return Loop.break("over");
        },
      })
      .catch((error: unknown) => (error as Error).message);
    await step.sleep("night", "1 day");
    return end;
  });
  await harness.runUntilIdle();
  commitEvery = 5;
  await harness.runThroughTime();
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
  expect(ran.length).toBe(28);
});

it("a loop that lost stays cancelled when commitEvery is smaller in the next deploy", async () => {
  let commitEvery = 20;
  const harness = await runOf(async (step) => {
    const { winner } = await step.race("r", {
      loop: (b) =>
        b.loop("poll", {
          state: 0,
          commitEvery,
          run: async (s, n) => {
            await s.do("a", () => n);
            if (n === 27) await s.sleep("long", "9 days");
            return Loop.continue(n + 1);
          },
        }),
      time: (b) => b.sleep("short", "1 day"),
    });
    await step.sleep("night", "1 day");
    await step.sleep("night", "1 day");
    return winner;
  });
  await harness.runUntilIdle();
  await harness.clock.advance(86_400_000);
  await harness.runUntilIdle();
  commitEvery = 5;
  await harness.runThroughTime();
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "time" });
  const { steps } = await harness.history("w", "x");
  expect(steps.find(({ stepKey }) => stepKey === "r/loop/poll")).toMatchObject({
    status: "cancelled",
  });
  expect(harness.log.filter(({ event }) => event === "step.not_awaited")).toEqual([]);
});

it("a step of a branch that has ended is refused with SCOPE_CLOSED wherever it is called", async () => {
  const harness = await runOf(async (step) => {
    let leaked: WorkflowStep | undefined;
    await step.try("t", (s) => void (leaked = s));
    const told = await leaked?.do("late", () => 1).catch((error: { code: string }) => error.code);
    const scope = await leaked?.join("late", {}).catch((error: { code: string }) => error.code);
    return [told, scope, (await leaked?.tryDo("late", () => 1))?.ok];
  });
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({
    output: ["SCOPE_CLOSED", "SCOPE_CLOSED", false],
  });
});

it("a JoinError of a map has the keys as author code gave them", async () => {
  const harness = await runOf(async (step) => {
    const error = await step
      .map("m", ["a/b"], () => Promise.reject(new RangeError("no")), { key: (item) => item })
      .catch((thrown: unknown) => thrown);
    return Object.keys((error as JoinError).errors);
  });
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ output: ["a/b"] });
});

it("whatever is thrown in step.try or a tolerant map is a value", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const harness = await runOf(async (step) => {
    const one = await step.try("t", () => Promise.reject(proxy));
    const many = await step.map("m", [1], () => Promise.reject(proxy), { tolerate: 1 });
    return [one.ok, many[0]?.ok];
  });
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ output: [false, false] });
});

it("options of a scope that are none are refused with a code", async () => {
  const harness = await runOf(async (step) => {
    const code = (error: { code?: string }): string | undefined => error.code;
    return [
      await step.race("r", { a: () => 1 }, null as never).catch(code),
      await step.map("m", [], () => 1, null as never).catch(code),
    ];
  });
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({
    output: ["INVALID_SCOPE", "INVALID_SCOPE"],
  });
});

it("a share of failures is what the share says", async () => {
  const items = Array.from({ length: 10_000 }, (_, index) => index);
  const harness = await runOf((step) =>
    step
      .map("m", items, (_s, n) => (n < 57 ? Promise.reject(new RangeError("no")) : n), {
        tolerate: "0.57%",
      })
      .then((ends) => ends.length),
  );
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ output: 10_000 });
});

it("steps that a branch calls and leaves without a row do not use up the limit of steps", async () => {
  const harness = await runOf(
    async (step) => {
      for (let n = 0; n < 20; n += 1) {
        await step.try("t", (s) => {
          void s.do("forgotten", () => null);
          void s.join("forgotten too", {});
        });
      }
      return "done";
    },
    { limits: { maxStepsPerRun: 10 } },
  );
  await harness.runUntilIdle();
  expect((await harness.status("w", "x")).error?.code ?? "none").toBe("none");
});

it("an event goes to the wait that is left when another wait of its type loses in that turn", async () => {
  const harness = await runOf(async (step) => {
    const left = step.waitForEvent("left", { type: "go" });
    const { winner } = await step.race("r", {
      sleep: (s) => s.sleep("short", "1 hour"),
      wait: (s) => s.waitForEvent("w", { type: "go" }),
    });
    await left;
    return winner;
  });
  await harness.runUntilIdle();
  await harness.clock.advance(2 * 3_600_000);
  await harness.sendEvent("w", "x", { type: "go" });
  await harness.runUntilIdle();
  const { status, output } = await harness.status("w", "x");
  expect([status, output]).toEqual(["complete", "sleep"]);
});

it("hostile names of branches are names", async () => {
  const harness = await runOf(async (step) => {
    const branches = Object.fromEntries(
      ["__proto__", "constructor", "a/b", "~1", "#2", "%", "toString"].map((name) => [
        name,
        (s: WorkflowStep) => s.do("x", () => name),
      ]),
    );
    const joined = await step.join("j", branches);
    const code = (error: { code?: string }): string | undefined => error.code;
    const refused: unknown[] = [];
    for (const name of ["", " ", "a\0", "x".repeat(300), "\ud800"])
      refused.push(await step.join("k", { [name]: () => 1 }).catch(code));
    refused.push(await step.join("k", { a: () => 1, " a ": () => 1 }).catch(code));
    refused.push(await step.join(Symbol("s") as never, {}).catch(code));
    refused.push(
      await step
        .map("m", [1], () => 1, {
          key: () => {
            throw new RangeError("k");
          },
        })
        .catch((e: Error) => e.message),
    );
    await step.sleep("night", "1 day");
    return [
      Object.entries(joined).every(([name, value]) => name === value),
      Object.keys(joined).length,
      refused.map(String).join(),
    ];
  });
  await harness.runThroughTime();
  expect(await harness.status("w", "x")).toMatchObject({
    output: [
      true,
      7,
      "INVALID_STEP_NAME,INVALID_STEP_NAME,INVALID_STEP_NAME,INVALID_STEP_NAME,INVALID_STEP_NAME,INVALID_SCOPE,INVALID_STEP_NAME,k",
    ],
  });
});
