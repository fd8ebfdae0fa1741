/** Retries of runs whose scopes failed. */
import { expect, it } from "vitest";
import { Loop, type WorkflowStep } from "../index.ts";
import { ONCE, createFlaky } from "./testing-retry.ts";

it("S6-021 of a join the branches that failed run again, from the steps that failed them", async () => {
  const branch =
    (name: string, body: (name: string) => () => Promise<string>) =>
    async (s: WorkflowStep): Promise<string> => {
      await s.do("first", ONCE, body(`${name} first`));
      return s.do("second", ONCE, body(`${name} second`));
    };
  const { retry, takeRan, rows } = await createFlaky(
    (step, body) =>
      step.join("all", { a: branch("a", body), b: branch("b", body), c: branch("c", body) }),
    "b second",
    "c first",
    "c second",
  );
  takeRan();
  expect(await retry("c first")).toMatchObject({ error: { code: "JOIN_FAILED" } });
  expect(takeRan()).toEqual(expect.arrayContaining(["b second", "c first", "c second"]));
  expect(await rows()).toContain("all/c/first completed");
  const output = { a: "a second", b: "b second", c: "c second" };
  expect(await retry("b second", "c second")).toMatchObject({ status: "complete", output });
  expect(takeRan()).toEqual(["b second", "c second"]);
});

it("S6-021 a branch in which author code threw comes to its end once the code is mended", async () => {
  const code =
    (message: string | null) =>
    (step: WorkflowStep, body: (name: string) => () => Promise<string>) =>
      step.join("all", {
        a: async (s) => {
          const value = await s.do("one", body("a"));
          if (message !== null) throw new TypeError(message);
          return value;
        },
        b: (s) => s.do("one", body("b")),
      });
  const flaky = await createFlaky(code("a bug"));
  flaky.takeRan();
  flaky.code.run = code(null);
  expect(await flaky.retry()).toMatchObject({ status: "complete", output: { a: "a", b: "b" } });
  expect(flaky.takeRan()).toEqual([]);
});

it("S6-021 of a race that all have lost, all run again; the winner of one that was won stays", async () => {
  const { retry, takeRan } = await createFlaky(
    async (step, body) => {
      const first = await step.race("won", {
        a: (s) => s.do("x", ONCE, body("won a")),
        b: (s) => s.do("x", body("won b")),
      });
      const second = await step.race("lost", {
        a: (s) => s.do("x", ONCE, body("lost a")),
        b: (s) => s.do("x", ONCE, body("lost b")),
      });
      return [first.winner, second.winner];
    },
    "won a",
    "lost a",
    "lost b",
  );
  takeRan();
  expect(await retry("won a", "lost b")).toMatchObject({ status: "complete", output: ["b", "b"] });
  expect(takeRan()).toEqual(["lost a", "lost b"]);
});

it("S6-021 a trimmed loop goes on with the iteration that failed", async () => {
  const { retry, takeRan } = await createFlaky(
    (step, body) =>
      step.loop("pages", {
        state: 0,
        commitEvery: 2,
        keep: 0,
        run: async (s, sum, iteration) => {
          await s.do("ask", ONCE, body(`ask ${iteration}`));
          const seen = await s.tryDo("look", ONCE, body(`look ${iteration}`));
          const next = sum + (seen.ok ? 1 : 100);
          return iteration === 6 ? Loop.break(next) : Loop.continue(next);
        },
      }),
    "ask 5",
    "look 4",
  );
  takeRan();
  expect(await retry("ask 5", "look 4")).toMatchObject({ status: "complete", output: 106 });
  expect(takeRan()).toEqual(["ask 5", "ask 6", "look 5", "look 6"]);
});
