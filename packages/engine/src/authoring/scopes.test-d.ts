/** Types of scopes, and the compiler's errors for mistakes. */
import { describe, expectTypeOf, it } from "vitest";
import { JoinError, Loop, type WorkflowStep } from "../index.ts";
import type { Attempted } from "../types.ts";

declare const step: WorkflowStep;
declare const unknown: unknown;
declare const door: { readonly kind: "open" | "shut"; readonly by: string | null };

describe("scopes", () => {
  it("S6-001 S6-008 S3-047 a join gives what each of its branches returns, by name", async () => {
    const joined = await step.join("j", {
      hotel: (own) => own.do("a", () => 5),
      flight: async (own) => {
        await own.sleep("z", "1 hour");
        return { seat: "4A" };
      },
    });
    expectTypeOf(joined).toEqualTypeOf<{ hotel: number; flight: { seat: string } }>();
    // @ts-expect-error there is no such branch
    void joined.train;
    // @ts-expect-error a branch is a function
    void step.join("j", { a: 5 });
  });

  it("S6-003 S6-008 S3-047 a race gives the winner's value with its name", async () => {
    const end = await step.race("r", {
      word: (own) => own.waitForEvent<{ by: string }>("w", { type: "word" }),
      time: (own) => own.sleep("z", "1 hour"),
    });
    expectTypeOf(end.winner).toEqualTypeOf<"word" | "time">();
    if (end.winner === "word") expectTypeOf(end.value.payload.by).toEqualTypeOf<string>();
    // @ts-expect-error it settles in one of two ways
    void step.race("r", { a: () => 1 }, { settles: "last" });
  });

  it("S6-004 S6-008 a map gives values, and failures as values where they are tolerated", async () => {
    const values = await step.map("m", ["a"], (own, item) => own.do("d", () => item.length));
    expectTypeOf(values).toEqualTypeOf<number[]>();
    const ends = await step.map("m", [1], () => "x", { tolerate: "10%", concurrency: 2 });
    expectTypeOf(ends).toEqualTypeOf<Attempted<string>[]>();
    // @ts-expect-error a share is of a hundred
    void step.map("m", [1], () => "x", { tolerate: "a few" });
  });

  it("S6-005 S6-008 S3-047 a loop gives what it breaks with, and its iterations are given its state", async () => {
    const count = await step.loop("l", {
      state: { sum: 0 },
      run: (_own, state, iteration) => {
        expectTypeOf(state).toEqualTypeOf<{ sum: number }>();
        expectTypeOf(iteration).toEqualTypeOf<number>();
        return state.sum > 10 ? Loop.break(state.sum) : Loop.continue({ sum: state.sum + 1 });
      },
    });
    expectTypeOf(count).toEqualTypeOf<number>();
    const endless = await step.loop("l", { run: async (own) => own.sleep("z", "1 hour") });
    expectTypeOf(endless).toEqualTypeOf<undefined>();
    // @ts-expect-error a state of another type
    void step.loop("l", { state: 1, run: async () => Loop.continue("2") });
    // @ts-expect-error it was given none, and `run` expects one
    void step.loop("l", { run: (_own, page: number) => Loop.continue(page) });
    // @ts-expect-error the first iteration would have none
    void step.loop("l", { run: () => Loop.continue(1) });
  });

  it("S6-005 a loop's state may be null first, a union, unknown, any, or of a helper's own type", async () => {
    const cursor = await step.loop("l", {
      state: null,
      run: (_own, at: string | null) => (at === null ? Loop.continue("a") : Loop.break(at)),
    });
    expectTypeOf(cursor).toEqualTypeOf<string>();
    const opened = await step.loop("l", {
      state: door,
      run: (_own, { kind }) =>
        kind === "open" ? Loop.break(1) : Loop.continue({ kind: "open", by: null }),
    });
    expectTypeOf(opened).toEqualTypeOf<number>();
    void step.loop("l", { state: unknown, run: () => Loop.continue(5) });
    void step.loop("l", { state: 1, run: () => Loop.continue(JSON.parse("2")) });
    const repeat = <T>(first: T, next: (last: T) => T): Promise<T> =>
      step.loop("l", {
        state: first,
        run: (_own, last, count) => (count > 3 ? Loop.break(last) : Loop.continue(next(last))),
      });
    expectTypeOf(repeat("a", (last) => `${last}a`)).resolves.toEqualTypeOf<string>();
  });

  it("S6-008 a failure is a value with its kind, of try and of tryDo, joins and races too", async () => {
    const end = await step.try("t", (own) => own.join("j", { a: () => 1 }));
    expectTypeOf(end).toEqualTypeOf<Attempted<{ a: number }>>();
    if (end.ok) expectTypeOf(end.value.a).toEqualTypeOf<number>();
    else
      expectTypeOf(end.kind).toEqualTypeOf<
        "failed" | "timeout" | "exhausted" | "rollback" | "cancelled"
      >();
    expectTypeOf(await step.tryDo("d", () => 5)).toEqualTypeOf<Attempted<number>>();
    const error: unknown = end.ok ? null : end.error;
    if (error instanceof JoinError)
      expectTypeOf(error.errors).toEqualTypeOf<Readonly<Record<string, unknown>>>();
  });

  it("S6-009 S6-011 an undo is given what its step gave; a version is a number", async () => {
    const booked = await step.do(
      "book",
      { undo: (result) => expectTypeOf(result).toEqualTypeOf<{ id: string }>() },
      () => ({ id: "x" }),
    );
    expectTypeOf(booked).toEqualTypeOf<{ id: string }>();
    const paid = await step.do(
      "pay",
      { undo: { run: (result: { cents: number }) => void result.cents, retries: { limit: 1 } } },
      ({ attempt }) => ({ cents: attempt }),
    );
    expectTypeOf(paid).toEqualTypeOf<{ cents: number }>();
    // @ts-expect-error its argument has another type
    void step.do("pay", { undo: (result: string) => result.length }, () => ({ cents: 1 }));
    expectTypeOf(step.version("v", 2)).toEqualTypeOf<number>();
    expectTypeOf(step.removed("old", "do")).toEqualTypeOf<void>();
    // @ts-expect-error there is no such kind
    step.removed("old", "version");
  });
});
