/** The steps of a run that come in one row: drivers take longer over a thousand rows than databases do. */
import type { HistoryRow, PackedSteps } from "./rows.ts";

// JSON has neither character, and hardly any name of a step has the first.
const BETWEEN_STEPS = "\u001E";
const BEHIND_REST = "\u001D";

export const isPacked = (row: HistoryRow | PackedSteps | undefined): row is PackedSteps =>
  row !== undefined && "stepKeys" in row;

/** @returns a row of each step; where one of its texts has the separator, one that says that the steps are to be read by `loadSteps` */
export function unpackSteps({ stepKeys, ...packed }: PackedSteps): readonly HistoryRow[] {
  if (stepKeys === null) return [toReadApart(packed.results)];
  const orders = split(packed.settledOrders);
  const instants = split(packed.updatedAts);
  const keys = split(stepKeys);
  const named = split(packed.startedKeys);
  const results = split(packed.results);
  if ([keys, named, results].some(({ length }) => length !== orders.length))
    return [toReadApart(`{"goOnAfter":0}`)];
  return keys.map((stepKey, index) => {
    const result = results[index] ?? "";
    const restEnd = result.indexOf(BEHIND_REST);
    return {
      stepKey,
      settledOrder: orders[index] === "" ? null : Number(orders[index]),
      startedKeys: named[index] || null,
      updatedAt: Number(instants[index]),
      result: result.slice(restEnd + 1) || null,
      rest: restEnd < 0 ? null : result.slice(0, restEnd),
    };
  });
}

const split = (texts: string): readonly string[] => texts.split(BETWEEN_STEPS);

const toReadApart = (rest: string): HistoryRow => ({
  stepKey: "",
  settledOrder: null,
  startedKeys: null,
  updatedAt: 0,
  result: null,
  rest,
});
