/** Turns of the event loop: after all microtasks, and each on its own. */
import { afterEach, expect, it, vi } from "vitest";
import { createTurns } from "./turns.ts";

afterEach(() => vi.unstubAllGlobals());

it("calls back once microtasks of any depth have run, however many turns are asked for", async () => {
  const afterTurn = createTurns();
  const seen: string[] = [];
  for (let turn = 0; turn < 100; turn += 1) {
    void (async () => {
      for (let depth = 0; depth < 50; depth += 1) await Promise.resolve();
      seen.push(`deep ${turn}`);
    })();
    await new Promise<void>((resolve) => afterTurn(resolve));
    seen.push(`turn ${turn}`);
  }
  expect(seen).toEqual(
    Array.from({ length: 100 }, (_, turn) => [`deep ${turn}`, `turn ${turn}`]).flat(),
  );
});

it("what one callback throws is reported and stops no other", async () => {
  const reports: (() => void)[] = [];
  vi.stubGlobal("queueMicrotask", (report: () => void) => reports.push(report));
  const afterTurn = createTurns();
  const called: string[] = [];
  afterTurn(() => {
    throw new Error("a bug");
  });
  afterTurn(() => called.push("the next one"));
  await new Promise<void>((resolve) => afterTurn(resolve));
  expect(called).toEqual(["the next one"]);
  expect(reports).toHaveLength(1);
  expect(reports[0]).toThrow("a bug");
});
