import { expect, test } from "vitest";
import type { LedgerLine } from "../ledger.ts";
import { findSlowness, findStandstills, summarise } from "./standstill.ts";

const beat = (id: string, t: number): LedgerLine => ({ kind: "beat", id, t, pid: 1 });

test("the longest pause that was not over before the fault counts, and what of it came after the fault", () => {
  const lines = [0, 5000, 5100, 9000, 9100].map((t) => beat("a", t));
  expect(findStandstills(lines, { from: 5050, over: 7000, to: 9200 })).toEqual([
    { id: "a", ms: 3900, afterMs: 2000 },
  ]);
  expect(findStandstills(lines, { from: 9050, over: 9050, to: 9200 })).toEqual([
    { id: "a", ms: 100, afterMs: 50 },
  ]);
});

test("an instance that never comes back stands still to the end", () => {
  expect(findStandstills([beat("a", 100)], { from: 150, over: 150, to: 8100 })).toEqual([
    { id: "a", ms: 8000, afterMs: 7950 },
  ]);
});

test("the machine is as slow as beats of one process are late; a pause that a fault made says nothing of it", () => {
  const every = (pauseMs: number): LedgerLine[] =>
    Array.from({ length: 30 }, (_, index) => beat("a", index * pauseMs));
  expect(findSlowness([])).toBe(1);
  expect(findSlowness(every(450))).toBe(1);
  expect(findSlowness(every(1600))).toBe(2);
  const moved: LedgerLine[] = [{ ...beat("a", 30_000), pid: 2 }];
  expect(findSlowness([...every(450), ...moved])).toBe(1);
});

test("the summary is of those that were hit; of all where none was", () => {
  const all = [100, 200, 5000, 7000, 9000].map((ms, index) => ({
    id: String(index),
    ms,
    afterMs: ms / 2,
  }));
  expect(summarise(all)).toEqual({ hit: 3, medianMs: 7000, worstMs: 9000, worstAfterMs: 4500 });
  expect(summarise(all.slice(0, 2))).toMatchObject({ hit: 0, medianMs: 200, worstMs: 200 });
});
