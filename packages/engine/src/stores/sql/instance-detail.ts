/** The JSON text of an instance's `errorDetail`: what there is to tell beside its state, of its error and of its steps. */
import { attempt } from "../../core/attempt.ts";
import { toDetailText } from "../../core/stored-error.ts";
import type { DivergedStep, ErrorRecord, JsonText } from "../../core/model/records.ts";

/** Begins what follows the error's own members. */
const DIVERGED = `"diverged":`;

/** Begins the last member, with which the text ends: no text of an author's stands there. */
export const FAILED_STEP = `"failedStep":`;

/** The text; null when there is nothing to tell. */
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

/** Its steps that code and history disagree on. */
export function toDivergedSteps(text: JsonText | null): readonly DivergedStep[] {
  if (text === null || !text.includes(DIVERGED)) return [];
  const parsed = attempt(() => JSON.parse(text) as { diverged?: unknown } | null, null);
  const diverged = parsed?.diverged;
  return Array.isArray(diverged) ? (diverged as readonly DivergedStep[]) : [];
}
