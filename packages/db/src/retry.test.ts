import { expect, test } from "vitest";
import type { BatchResult, Database } from "./batch.ts";
import { postgresDialect } from "./dialect/postgres.ts";
import { DatabaseError } from "./errors.ts";
import { batchWithRetry } from "./retry.ts";

const committed: BatchResult = { kind: "committed", rows: [] };
const serialization: BatchResult = { kind: "conflict", reason: "serialization", guard: null };

/** A database that answers with the outcomes given, in order, and counts its calls. */
function createScripted(
  ...outcomes: (BatchResult | Error)[]
): Database & { readonly calls: () => number } {
  let calls = 0;
  return {
    dialect: postgresDialect,
    calls: () => calls,
    batch() {
      const outcome = outcomes[Math.min(calls, outcomes.length - 1)] ?? committed;
      calls += 1;
      return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
    },
    close: () => Promise.resolve(),
  };
}

/** Retry options that record the waits instead of waiting. */
function recordWaits(): {
  waits: number[];
  random: () => number;
  wait: (delayMs: number) => Promise<void>;
} {
  const waits: number[] = [];
  return {
    waits,
    random: () => 0.5,
    wait: (delayMs) => {
      waits.push(delayMs);
      return Promise.resolve();
    },
  };
}

test("S2-046 an injected serialization failure is tried again with growing waits", async () => {
  const database = createScripted(serialization, serialization, serialization, committed);
  const recorded = recordWaits();
  expect(
    await batchWithRetry(database, [], { ...recorded, baseDelayMs: 10, maxDelayMs: 30 }),
  ).toEqual(committed);
  expect(recorded.waits).toEqual([5, 10, 15]);
});

test("deadlocks and a busy database are tried again, and the last conflict comes back", async () => {
  for (const reason of ["deadlock", "busy"] as const) {
    const conflict: BatchResult = { kind: "conflict", reason, guard: null };
    const database = createScripted(conflict);
    expect(await batchWithRetry(database, [], { ...recordWaits(), maxTries: 4 })).toEqual(conflict);
    expect(database.calls()).toBe(4);
  }
});

test("S2-046 a writer that loses nineteen times in a row still gets through; a busy database is asked ten times", async () => {
  const unlucky = createScripted(...Array.from({ length: 19 }, () => serialization), committed);
  expect(await batchWithRetry(unlucky, [], recordWaits())).toEqual(committed);
  const busy = createScripted({ kind: "conflict", reason: "busy", guard: null });
  expect(await batchWithRetry(busy, [], recordWaits())).toMatchObject({ reason: "busy" });
  expect(busy.calls()).toBe(10);
});

test("a false guard, a locked row, a unique violation and errors come back at once", async () => {
  const locked: BatchResult = { kind: "conflict", reason: "locked", guard: null };
  expect(await batchWithRetry(createScripted(locked, committed), [])).toEqual(locked);
  const guard: BatchResult = { kind: "conflict", reason: "guard", guard: "lease" };
  const unique: BatchResult = { kind: "unique", constraint: "thing_pkey" };
  expect(await batchWithRetry(createScripted(guard, committed), [])).toEqual(guard);
  expect(await batchWithRetry(createScripted(unique, committed), [])).toEqual(unique);
  const lost = createScripted(new DatabaseError("DATABASE_UNAVAILABLE", "lost"), committed);
  await expect(batchWithRetry(lost, [])).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
  expect(lost.calls()).toBe(1);
});
