import { describe, expect, it } from "vitest";
import { parseDuration, type WorkflowDuration } from "./duration.ts";

describe("S0-024 parseDuration", () => {
  it.each([
    [0, 0],
    [1500, 1500],
    ["10 seconds", 10_000],
    ["1 second", 1000],
    ["1 hour", 3_600_000],
    ["7 days", 604_800_000],
    ["2 weeks", 1_209_600_000],
    ["1 month", 2_592_000_000],
    ["1 year", 31_536_000_000],
    ["1.5 minutes", 90_000],
    ["1 hour 30 minutes", 5_400_000],
    ["1 hour, 30 minutes", 5_400_000],
    ["500ms", 500],
    ["2h", 7_200_000],
    [" 10 Seconds ", 10_000],
  ])("reads %j as %d ms", (text, ms) => {
    expect(parseDuration(text, "timeout")).toBe(ms);
  });

  it.each([
    "",
    "soon",
    "10",
    "10 parsecs",
    "-5 seconds",
    "5 seconds ago",
    "1 constructor",
    -1,
    Number.NaN,
    Infinity,
  ])("refuses %j with INVALID_DURATION", (bad) => {
    expect(() => parseDuration(bad, "timeout")).toThrow(
      expect.objectContaining({
        code: "INVALID_DURATION",
        message: expect.stringContaining("timeout"),
      }),
    );
  });

  const units = [
    "millisecond",
    "second",
    "minute",
    "hour",
    "day",
    "week",
    "month",
    "year",
  ] as const;
  const short = ["ms", "s", "m", "h", "d", "w"] as const;

  it("S5-045 every form that the compiler knows is read", () => {
    const words = units.flatMap((unit) => [unit, `${unit}s`] as const);
    const forms: WorkflowDuration[] = [
      ...[...words, ...short].flatMap((unit) => [`2${unit}`, `2 ${unit}`] as const),
      ...words.flatMap((a) => words.flatMap((b) => [`1 ${a} 2 ${b}`, `1 ${a}, 2 ${b}`] as const)),
      ...short.flatMap((a) => short.flatMap((b) => [`1${a}2${b}`, `1${a} 2${b}`] as const)),
    ];
    for (const form of forms) expect(parseDuration(form, "a form")).toBeGreaterThan(0);
    expect(forms).toHaveLength(2 * 22 + 2 * 16 * 16 + 2 * 6 * 6);
  });

  it.each([[undefined], [null], [{ seconds: 1 }], [[10]], [10n], [Symbol("s")], [() => 10]])(
    "refuses %s, which no type allows, with INVALID_DURATION",
    (bad) => {
      expect(() => parseDuration(bad as never, "timeout")).toThrow(
        expect.objectContaining({ code: "INVALID_DURATION" }),
      );
    },
  );
});
