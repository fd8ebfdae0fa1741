import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SettledStep } from "../core/model/records.ts";
import { decodePlain } from "../core/plain-codec.ts";
import { TAG } from "../core/plain-values.ts";
import { createReplayedResults } from "./replayed-results.ts";

const toStep = (settledOrder: number, part: Partial<SettledStep>): SettledStep => ({
  stepKey: `step ${settledOrder}`,
  type: "do",
  status: "completed",
  attempts: 1,
  result: null,
  error: null,
  settledOrder,
  updatedAt: 0,
  startedKeys: null,
  ...part,
});

const resultOf = (text: string | null): Partial<SettledStep> => ({ result: text });

const plain = fc.oneof(
  fc.json().map((text) => resultOf(text)),
  fc.constant(resultOf(null)),
);
/** What no group may decode, and what must not disturb its neighbours. */
const other = fc.constantFrom<Partial<SettledStep>>(
  { status: "errored" },
  { status: "cancelled" },
  resultOf(`{"${TAG}":["Date",0]}`),
  resultOf("1,2"),
  resultOf("[1"),
  resultOf(""),
);

const isPlain = ({ status, result }: SettledStep): boolean =>
  status === "completed" && !(result ?? "").includes(TAG);

/** The value by itself; undefined: its text cannot be decoded. */
function alone(step: SettledStep): unknown {
  try {
    return decodePlain(step.result);
  } catch {
    return undefined;
  }
}

describe("createReplayedResults", () => {
  test("gives each result as it would be decoded by itself, or none", () => {
    const history = fc.array(fc.oneof({ weight: 8, arbitrary: plain }, other), { maxLength: 200 });
    const isCalled = fc.infiniteStream(fc.boolean());
    fc.assert(
      fc.property(history, isCalled, fc.boolean(), (parts, called, all) => {
        const steps = parts.map((part, index) => toStep(2 * index + 1, part));
        const take = createReplayedResults(steps);
        for (const step of steps) {
          if (!all && called.next().value !== true) continue;
          const value = take(step);
          if (value === undefined || step.result === null) continue;
          expect(isPlain(step)).toBe(true);
          expect(value).toEqual(alone(step));
        }
      }),
    );
  });

  test("gives all of a history without gaps in groups, beyond the size of one", () => {
    const steps = Array.from({ length: 300 }, (_, index) =>
      toStep(index + 1, resultOf(`[${index}]`)),
    );
    const take = createReplayedResults(steps);
    expect(steps.map((step) => take(step))).toEqual(steps.map((_, index) => [index]));
  });

  test("gives a value once, so that no two calls share it", () => {
    const steps = [1, 2].map((order) => toStep(order, resultOf("{}")));
    const take = createReplayedResults(steps);
    expect(take(steps[0] as SettledStep)).toEqual({});
    expect(take(steps[0] as SettledStep)).toBeUndefined();
    expect(take(steps[1] as SettledStep)).toEqual({});
  });

  test("leaves steps that have settled since to their own", () => {
    const take = createReplayedResults([toStep(1, resultOf("1"))]);
    expect(take(toStep(2, resultOf("2")))).toBeUndefined();
  });
});
