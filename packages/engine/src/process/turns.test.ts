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

it("turns that are told to follow come without a round of the event loop between them", async () => {
  const afterTurn = createTurns(setImmediate, () => 0);
  let rounds = 0;
  let isOver = false;
  const round = (): void => {
    rounds += 1;
    if (!isOver) setTimeout(round, 0);
  };
  setTimeout(round, 0);
  for (let left = 500; left > 0; left -= 1) {
    await new Promise<void>((resolve) => afterTurn(resolve, left - 1));
  }
  isOver = true;
  expect(rounds).toBeLessThanOrEqual(1);
});

it("a long replay lets others have the event loop every few milliseconds", () => {
  const queued: (() => void)[] = [];
  let nowMs = 0;
  const afterTurn = createTurns(
    (callback) => queued.push(callback),
    () => nowMs,
  );
  const takeFourMs = (): void => {
    nowMs += 4;
    afterTurn(takeFourMs, 1000);
  };
  afterTurn(takeFourMs, 1000);
  for (let round = 1; round <= 3; round += 1) {
    for (const callback of queued.splice(0)) callback();
    expect(nowMs).toBe(round * 28);
  }
});

it("turns that follow each other by a few come without a round of the event loop between them", async () => {
  const queued: (() => void)[] = [];
  const afterTurn = createTurns(
    (callback) => queued.push(callback),
    () => 0,
  );
  let told = 0;
  const tell = (): void => {
    told += 1;
    if (told < 3) afterTurn(tell);
  };
  afterTurn(tell);
  for (const callback of queued.splice(0)) callback();
  expect({ told, queued: queued.length }).toEqual({ told: 3, queued: 0 });
});
