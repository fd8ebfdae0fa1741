/** Takes a `PackedHistoryRow` apart. */
import { assertInvariant } from "../../core/errors.ts";
import type { EpochMs } from "../../core/model/records.ts";
import type { HistoryRow, PackedHistoryRow, StepRow } from "./rows.ts";

export interface PageEnd {
  readonly goOnAfter: number;
}

/** For a settled step, only the columns that are read here. */
export type RestOfRow = Omit<StepRow, "stepKey" | "settledOrder" | "updatedAt" | "result">;

/** A `HistoryRow` without `rest`. */
export type ReplayRow = Omit<HistoryRow, "rest">;

export interface UnpackedRow extends ReplayRow {
  readonly rest: RestOfRow | PageEnd | null;
}

type KeyedRest = (RestOfRow | PageEnd) & { readonly stepKey?: string };

/** See `PackedTexts`. */
const SEPARATOR = "\u001F";
const DIGITS_OF_STEP = 24;
const Y2000 = 946_684_800_000;

export function unpackHistory(row: PackedHistoryRow): readonly UnpackedRow[] {
  const listed = JSON.parse(`[${row.rest ?? ""}]`) as readonly KeyedRest[];
  if (row.stepKeys === null) return listed.map((rest) => ({ ...NO_STEP, rest }));
  const rests = new Map(listed.map((rest) => [rest.stepKey, rest]));
  const stepKeys = JSON.parse(row.stepKeys) as readonly string[];
  const results = row.results?.split(SEPARATOR) ?? [];
  const startedKeys = row.startedKeys?.split(SEPARATOR) ?? [];
  const settlements = row.settlements ?? "";
  const counts = [results.length, startedKeys.length, settlements.length / DIGITS_OF_STEP];
  assertInvariant(
    counts.every((count) => count === stepKeys.length),
    "a packed history lacks a part of a step",
  );
  return stepKeys.map((stepKey, index) => ({
    stepKey,
    settledOrder: toInt32(settlements, index * DIGITS_OF_STEP + 16) || null,
    updatedAt: toInstant(settlements, index * DIGITS_OF_STEP),
    // No JSON text is empty.
    result: results[index] || null,
    startedKeys: startedKeys[index] || null,
    rest: rests.get(stepKey) ?? null,
  }));
}

const toInt32 = (digits: string, at: number): number =>
  Number.parseInt(digits.slice(at, at + 8), 16) | 0;

function toInstant(digits: string, at: number): EpochMs {
  const micros = toInt32(digits, at) * 2 ** 32 + (toInt32(digits, at + 8) >>> 0);
  return Math.round(micros / 1000) + Y2000;
}

const NO_STEP: ReplayRow = {
  stepKey: "",
  settledOrder: null,
  updatedAt: 0,
  result: null,
  startedKeys: null,
};
