/** The JSON text of an instance's `errorDetail`: details of its error, and its diverged steps. */
import { attempt } from "../../core/attempt.ts";
import { toDetailText } from "../../core/stored-error.ts";
import type { DivergedStep, ErrorRecord, JsonText } from "../../core/model/records.ts";

/** The beginning of the part after the error's own members. */
const DIVERGED = `"diverged":`;

/** The beginning of the last member. No text of author code comes after it. */
export const FAILED_STEP = `"failedStep":`;

/** Makes the text; null: there is nothing to store. */
export function toInstanceDetail(
  error: ErrorRecord | null,
  diverged: readonly DivergedStep[],
): JsonText | null {
  const ofError = error === null ? null : toDetailText(error);
  const failedStep = error?.failedStep;
  const members = [
    ...(diverged.length === 0 ? [] : [`${DIVERGED}${JSON.stringify(diverged)}`]),
    ...(failedStep === undefined ? [] : [`${FAILED_STEP}${JSON.stringify(failedStep)}`]),
  ];
  if (members.length === 0) return ofError;
  const before = ofError === null ? "{" : `${ofError.slice(0, -1)},`;
  return `${before}${members.join(",")}}`;
}

/** Reads the diverged steps. */
export function toDivergedSteps(text: JsonText | null): readonly DivergedStep[] {
  if (text === null || !text.includes(DIVERGED)) return [];
  const parsed = attempt(() => JSON.parse(text) as { diverged?: unknown } | null, null);
  const diverged = parsed?.diverged;
  return Array.isArray(diverged) ? (diverged as readonly DivergedStep[]) : [];
}
