/** The checker itself: each broken promise is seen, and what may happen is not. */
import { describe, expect, test } from "vitest";
import type { LedgerEntry, LedgerLine } from "../ledger.ts";
import type { StepRow, Tables } from "../tables.ts";
import {
  findExcessAttempts,
  findRepeats,
  findUnplannedFailures,
  toRepeatViolations,
} from "./check-bodies.ts";
import { findForeignResults, findOrderChanges, findShortSleeps } from "./check-order.ts";
import { countLogLines, findLoudLogs } from "./check-processes.ts";
import { findEventFaults, findUnended } from "./check-tables.ts";

const ID = "i";

/** Lines one millisecond apart. */
const ledger = (...entries: readonly LedgerEntry[]): readonly LedgerLine[] =>
  entries.map((entry, index) => Object.assign({ t: index, pid: 1 }, entry));

const begin = (session: string): LedgerEntry => ({ kind: "begin", id: ID, session });
const start = (
  session: string,
  key: string,
  more: { readonly after?: number; readonly limit?: number; readonly nonce?: string } = {},
): LedgerEntry => {
  const { after = 0, limit = 3, nonce = "1.1.1" } = more;
  return { kind: "start", id: ID, session, key, attempt: 1, limit, after, nonce };
};
const end = (
  key: string,
  outcome: "value" | "error" = "value",
  nonce: string = "1.1.1",
): LedgerEntry => ({ kind: "end", id: ID, session: "s", key, nonce, outcome });
const saw = (session: string, n: number, what: string): LedgerEntry => ({
  kind: "saw",
  id: ID,
  session,
  n,
  what,
});

const step = (key: string, attempts: number, lostAttempts = 0): StepRow => ({
  id: ID,
  key,
  type: "do",
  status: "completed",
  attempts,
  lostAttempts,
  maxAttempts: 4,
});

describe("completed steps", () => {
  test("may not begin again once they were read as completed", () => {
    const durable: LedgerEntry = { kind: "durable", id: ID, key: "a" };
    const lines = ledger(begin("s"), start("s", "a"), durable, begin("t"), start("t", "a"));
    expect(toRepeatViolations(findRepeats(lines))).toMatchObject([
      { promise: "completed-steps-stay", id: ID },
    ]);
  });

  test("may not begin again once a body has begun that was called after them", () => {
    const lines = ledger(
      begin("s"),
      start("s", "a"),
      end("a"),
      saw("s", 0, "a 1.1.1"),
      start("s", "b", { after: 1, nonce: "1.1.2" }),
      begin("t"),
      start("t", "a"),
    );
    expect(findRepeats(lines)).toHaveLength(1);
  });

  test("a body that began before, in a process that was frozen before it could write that, is no repeat", () => {
    const durable: LedgerEntry = { kind: "durable", id: ID, key: "a" };
    const lines = ledger(begin("s"), start("s", "a"), begin("t"), durable);
    const late = { t: 2.5, pid: 2, ...start("t", "a") } as LedgerLine;
    expect(findRepeats([...lines, late])).toEqual([]);
    expect(findRepeats([...lines, { ...late, t: 3.5 }])).toHaveLength(1);
  });

  test("may begin again while nobody knows them to be completed", () => {
    const lines = ledger(
      begin("s"),
      start("s", "a"),
      end("a"),
      saw("s", 0, "a 1.1.1"),
      start("s", "b", { after: 0 }),
      begin("t"),
      start("t", "a"),
    );
    expect(findRepeats(lines)).toEqual([]);
  });
});

describe("attempts", () => {
  test("a body with limit 0 begins once", () => {
    const twice = ledger(start("s", "a", { limit: 0 }), start("t", "a", { limit: 0 }));
    expect(findExcessAttempts(twice, [])).toMatchObject([{ promise: "at-most-once" }]);
    expect(findExcessAttempts(twice.slice(1), [step("a", 1)])).toEqual([]);
  });

  test("no body begins more often than its row says", () => {
    const second = { ...start("t", "a"), attempt: 2 } as LedgerEntry;
    const lines = ledger(start("s", "a"), second);
    expect(findExcessAttempts(lines, [step("a", 1)])).toMatchObject([
      { promise: "attempts-bounded" },
    ]);
    expect(findExcessAttempts(lines, [step("a", 1, 1)])).toEqual([]);
    expect(findExcessAttempts(lines, [step("a", 2)])).toEqual([]);
  });

  test("a body that only its lease stood for may begin again under its number, and no other", () => {
    const lines = ledger(
      begin("s"),
      start("s", "a"),
      begin("t"),
      start("t", "a", { nonce: "2.1.1" }),
    );
    expect(findExcessAttempts(lines, [step("a", 1)])).toEqual([]);
    const later = ledger(
      begin("s"),
      start("s", "z", { nonce: "s.1" }),
      saw("s", 0, "z s.1"),
      start("s", "a", { after: 1 }),
      begin("t"),
      start("t", "a", { nonce: "2.1.1" }),
    );
    expect(findExcessAttempts(later, [step("a", 1)])).toMatchObject([
      { promise: "attempts-bounded" },
    ]);
  });

  test("a step with retries fails only by its own failures", () => {
    const failure = saw("s", 0, "a STEP_MAX_ATTEMPTS_EXCEEDED");
    const once = ledger(start("s", "a"), end("a", "error"), failure);
    expect(findUnplannedFailures(once)).toMatchObject([{ promise: "failures-are-planned" }]);
    const used = ledger(start("s", "a"), ...Array(4).fill(end("a", "error")), failure);
    expect(findUnplannedFailures(used)).toEqual([]);
    const atMostOnce = ledger(start("s", "a", { limit: 0 }), failure);
    expect(findUnplannedFailures(atMostOnce)).toEqual([]);
  });
});

describe("order", () => {
  const live = [begin("s"), saw("s", 0, "a 1.1.1"), saw("s", 1, "b 1.1.2")];

  test("a replay sees what was kept, in its order", () => {
    const kept = [...live, start("s", "c", { after: 2 }), begin("t"), saw("t", 0, "b 1.1.2")];
    expect(findOrderChanges(ledger(...kept, saw("t", 1, "a 1.1.1")))).toMatchObject([
      { promise: "order-stays", id: ID },
    ]);
  });

  test("a session that runs completed steps again is told of once, elsewhere", () => {
    const kept = [...live, start("s", "c", { after: 2 }), begin("t"), saw("t", 0, "b 1.1.2")];
    const lines = ledger(...kept, start("t", "d", { after: 1 }));
    expect(findOrderChanges(lines)).toHaveLength(1);
    expect(findOrderChanges(lines, new Set(["t"]))).toEqual([]);
  });

  test("what was not kept may be otherwise", () => {
    const loose = [...live, begin("t"), saw("t", 0, "b 1.1.2"), saw("t", 1, "a 1.1.3")];
    expect(findOrderChanges(ledger(...loose))).toEqual([]);
  });

  test("two sessions side by side keep the same", () => {
    const lines = ledger(
      begin("t"),
      ...live,
      start("s", "c", { after: 1 }),
      saw("t", 0, "a 1.1.9"),
      start("t", "c", { after: 1 }),
    );
    expect(findOrderChanges(lines)).toHaveLength(1);
  });

  test("a result that no body returned is seen", () => {
    expect(findForeignResults(ledger(end("a"), saw("s", 0, "a 1.1.1")))).toEqual([]);
    expect(findForeignResults(ledger(end("a", "error"), saw("s", 0, "a 1.1.1")))).toHaveLength(1);
  });

  test("a sleep that is too short is seen", () => {
    const sleep: LedgerEntry = { kind: "sleep", id: ID, session: "s", name: "nap", ms: 50 };
    expect(findShortSleeps(ledger(sleep, saw("s", 0, "nap over")))).toHaveLength(1);
  });
});

describe("tables", () => {
  const tables: Tables = {
    instances: [{ id: ID, workflowName: "race", status: "complete", errorName: null }],
    steps: [],
    events: [],
    tasks: [],
  };
  const started = [{ id: ID, name: "race" }] as const;
  const approval = { id: ID, type: "approve", payload: "approval-0", isDelivered: true };

  test("instances that have not ended, that failed, or that are missing are seen; and what is left in the queue", () => {
    expect(findUnended(tables, started)).toEqual([]);
    expect(findUnended({ ...tables, instances: [] }, started)).toHaveLength(1);
    const errored = tables.instances.map((row) => ({ ...row, status: "errored" }));
    expect(findUnended({ ...tables, instances: errored }, started)).toHaveLength(1);
    const left = { ...tables, tasks: [JSON.stringify({ instanceId: ID })] };
    expect(findUnended(left, started)).toMatchObject([{ promise: "nothing-is-left" }]);
  });

  test("an event that is received twice, or by nobody, is seen; and one that is stored twice", () => {
    const once = [saw("s", 0, "wait event approval-0")];
    const of = (events: Tables["events"], seen: readonly LedgerEntry[]) =>
      findEventFaults({ ...tables, events }, ledger(...seen)).length;
    expect(of([approval], once)).toBe(0);
    expect(of([approval], [])).toBe(1);
    expect(of([approval], [...once, saw("s", 1, "next event approval-0")])).toBe(1);
    const stored = [approval, { ...approval, isDelivered: false }];
    expect(of(stored, once)).toBe(1);
  });
});

test("S5-031 more than 20 lines within a minute are seen, whenever the minute begins", () => {
  const lines = (count: number, everyMs: number, text = "{}") =>
    Array.from({ length: count }, (_item, index) => ({ t: 5000 + index * everyMs, pid: 1, text }));
  expect(countLogLines(lines(40, 6000)).most).toBe(11);
  expect(findLoudLogs(lines(20, 100))).toEqual([]);
  expect(findLoudLogs(lines(21, 100))).toHaveLength(1);
});
