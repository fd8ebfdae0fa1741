/** Promises of scopes in hostile use. */
import { expect, it } from "vitest";
import { type JoinError, Loop, type WorkflowStep } from "../../index.ts";
import { runOf } from "./testing-attack.ts";

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
