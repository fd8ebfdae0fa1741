/** Decodes the results of a history in groups: for small ones, each call of the parser takes longer than what it parses. */
import { attempt } from "../core/attempt.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { HistoryStep, SettledStep } from "../core/model/records.ts";
import { isTagged } from "../core/plain-codec.ts";

/** Of a group: how many results it has, and the most characters of one. */
const MAX_RESULTS = 64;
const MAX_LENGTH = 1024;

/**
 * @param steps settled steps in the order in which author code is told their outcomes
 * @returns a function that gives the decoded result of a completed step, once. undefined: no group has it, and it has to be decoded
 * by itself; results that are null have no such value
 */
export function createReplayedResults(
  steps: readonly SettledStep[],
): (step: HistoryStep | StepWrite) => unknown {
  let next = 0;
  let start = 0;
  let group: readonly unknown[] = [];
  return (step) => {
    while ((steps[next]?.settledOrder ?? Infinity) < (step.settledOrder ?? 0)) next += 1;
    if (steps[next] !== step) return undefined;
    if (next >= start + group.length) group = decodeFrom(steps, (start = next));
    const index = next - start;
    next += 1;
    return group[index];
  };
}

function decodeFrom(steps: readonly SettledStep[], start: number): readonly unknown[] {
  const texts: string[] = [];
  for (const { status, result } of steps.slice(start, start + MAX_RESULTS)) {
    const text = result ?? "null";
    if (status !== "completed" || text.length > MAX_LENGTH || isTagged(text)) break;
    texts.push(text);
  }
  const values = attempt(() => JSON.parse(`[${texts.join()}]`) as readonly unknown[], []);
  return values.length === texts.length ? values : [];
}
