import { describe, expect, test } from "vitest";
import { diffRuns, findParting } from "./diff-runs.ts";
import type { StepShown } from "./shapes.ts";

const step = (stepKey: string, more: Partial<StepShown> = {}): StepShown => ({
  name: stepKey,
  stepKey,
  type: "do",
  status: "completed",
  attempts: 1,
  lostAttempts: 0,
  maxAttempts: 4,
  timeoutMs: null,
  nextRetryAt: null,
  wakeAt: null,
  waitEventType: null,
  waitsFor: null,
  attemptStartedAt: null,
  runner: null,
  failedAttempts: [],
  result: null,
  error: null,
  createdAt: 0,
  updatedAt: 10,
  ...more,
});
const error = { code: null, name: "Error", message: "no", stack: null, details: null, cause: null };
const failed = step("b", { status: "errored", error });
const keys = (rows: ReturnType<typeof diffRuns>): string[] => rows.map(({ stepKey }) => stepKey);

describe("two runs", () => {
  test("that did the same have no difference, whatever their clocks said", () => {
    const left = [step("a"), step("b")];
    const right = [step("a", { createdAt: 5000, updatedAt: 5900 }), step("b")];
    const rows = diffRuns(left, right);
    expect(rows.map(({ differences }) => differences)).toEqual([[], []]);
    expect(findParting(rows)).toBeNull();
  });

  test("part where the one failed", () => {
    const rows = diffRuns([step("a"), failed], [step("a"), step("b"), step("c")]);
    expect(rows.map(({ differences }) => differences)).toEqual([
      [],
      ["status", "error"],
      ["only right"],
    ]);
    expect(findParting(rows)?.stepKey).toBe("b");
  });

  test("keep places that one of them has where it has them", () => {
    const left = [step("a"), step("x"), step("c")];
    const right = [step("a"), step("y"), step("c"), step("z")];
    expect(keys(diffRuns(left, right))).toEqual(["a", "y", "x", "c", "z"]);
    expect(keys(diffRuns([], right))).toEqual(["a", "y", "c", "z"]);
    expect(keys(diffRuns(left, []))).toEqual(["a", "x", "c"]);
    expect(diffRuns([], [])).toEqual([]);
  });

  test("in another order have each place once", () => {
    const left = [step("a"), step("b"), step("c")];
    const right = [step("c"), step("n"), step("b"), step("a"), step("m")];
    const found = keys(diffRuns(left, right));
    expect(found.toSorted()).toEqual(["a", "b", "c", "m", "n"]);
    expect(found.filter((key) => "abc".includes(key))).toEqual(["a", "b", "c"]);
  });

  test("differ in time from a second and twice as long on", () => {
    const timed = (ms: number): StepShown[] => [step("a", { updatedAt: ms })];
    const of = (left: number, right: number) => diffRuns(timed(left), timed(right))[0]?.differences;
    expect(of(10, 900)).toEqual([]);
    expect(of(5000, 6500)).toEqual([]);
    expect(of(10, 1100)).toEqual(["time"]);
    expect(of(6000, 3000)).toEqual(["time"]);
    expect(of(0, 3000)).toEqual([]);
  });

  test("differ in attempts and in what they wait for, which is no parting for attempts", () => {
    const retried = diffRuns([step("a", { attempts: 3 })], [step("a")]);
    expect(retried[0]?.differences).toEqual(["attempts"]);
    expect(findParting(retried)).toBeNull();
    const wait = (type: string): StepShown[] => [
      step("w", { type: "waitForEvent", waitEventType: type }),
    ];
    expect(diffRuns(wait("x"), wait("y"))[0]?.differences).toEqual(["waits for"]);
  });

  test("of 10 000 steps are compared at once", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => step(`s${index}`));
    expect(diffRuns(many, many.toReversed())).toHaveLength(10_000);
  });
});
