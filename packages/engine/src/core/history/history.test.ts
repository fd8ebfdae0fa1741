/** What replay reads from a history besides its steps. */
import { describe, expect, it } from "vitest";
import type { SettledStep, StepRecord } from "../model/records.ts";
import { createHistory } from "./history.ts";
import { orderBefore } from "./loops.ts";

const settled = (settledOrder: number): SettledStep =>
  ({ stepKey: `s${settledOrder}`, type: "do", settledOrder }) as SettledStep;

const loop = (result: string | null): StepRecord =>
  ({ stepKey: "loop", type: "loop", result }) as StepRecord;

describe("the order of the next step that settles", () => {
  it("S6-005 S6-022 is none that a row had which a loop has removed: a rewind tells by it what came before what", () => {
    const position = loop(`{"iteration":3,"at":5,"since":1,"after":6}`);
    expect(createHistory([settled(1)], [position], orderBefore).nextOrder).toBe(7);
    expect(createHistory([settled(1), settled(8)], [position], orderBefore).nextOrder).toBe(9);
  });

  it("S6-005 follows the last settled step where no loop says more, as of positions that earlier versions wrote", () => {
    expect(createHistory([], []).nextOrder).toBe(1);
    expect(createHistory([settled(2)], [loop(null)], orderBefore).nextOrder).toBe(3);
    expect(createHistory([settled(2)], [loop(`{"iteration":3}`)], orderBefore).nextOrder).toBe(3);
  });
});
