/** The steps of a run, as many as a call reads. */
import { utf8Size } from "../../core/plain-codec.ts";
import { splitHistory } from "../../core/history/split-history.ts";
import type { HistoryStep, RunRef } from "../../core/model/records.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import {
  ITEM_BYTES,
  type LoadStepsRequest,
  STEP_PAGE_BYTES,
  type StepPage,
} from "../../ports/run-pages.ts";
import { type CallBudget, newCallBudget } from "./call-budget.ts";
import { type MemoryState, runKey } from "./state.ts";

/** All steps of a run, or none if the claim has no room for them. */
export function claimSteps(
  state: MemoryState,
  run: RunRef,
  budget: CallBudget = newCallBudget(),
): Pick<ClaimedRun, "isWhole" | "settled" | "open"> {
  const all = stepsOf(state, run);
  const size = all.reduce((sum, step) => sum + sizeOf(step), 0);
  if (size > budget.stepBytes) return { isWhole: false, settled: [], open: [] };
  budget.stepBytes -= size;
  return { isWhole: true, ...splitHistory(all) };
}

/** Steps in the order in which they were created, from a position on; the first one however large it is. */
export function loadSteps(state: MemoryState, { after, ...run }: LoadStepsRequest): StepPage {
  const all = stepsOf(state, run);
  let end = after;
  for (let bytes = 0; end < all.length; end += 1) {
    bytes += sizeOf(all[end] as HistoryStep);
    if (bytes > STEP_PAGE_BYTES && end > after) break;
  }
  const stepsAfter = end < all.length ? end : null;
  return { ...splitHistory(all.slice(after, end)), stepsAfter, now: state.now() };
}

const stepsOf = (state: MemoryState, run: RunRef): readonly HistoryStep[] => [
  ...(state.steps.get(runKey(run))?.values() ?? []),
];

const sizeOf = ({ result }: HistoryStep): number =>
  ITEM_BYTES + (result === null ? 0 : utf8Size(result));
