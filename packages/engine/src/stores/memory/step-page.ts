/** As many steps of a run as a call reads of them. */
import { utf8Size } from "../../core/codec.ts";
import { splitHistory } from "../../core/history/history.ts";
import type { HistoryStep, RunRef } from "../../core/model/records.ts";
import {
  type ClaimedRun,
  ITEM_BYTES,
  type LoadStepsRequest,
  STEP_PAGE_BYTES,
  type StepPage,
} from "../../ports/store.ts";
import { type CallBudget, newCallBudget } from "./call-budget.ts";
import { type MemoryState, runKey } from "./state.ts";

/** Steps in the order in which they were made, from a place on; the very first of a call however large it is. */
export function pageOfSteps(
  state: MemoryState,
  { after, ...run }: RunRef & { readonly after: number },
  budget: CallBudget = newCallBudget(),
): Pick<ClaimedRun, "settled" | "open" | "stepsAfter"> {
  const all: readonly HistoryStep[] = [...(state.steps.get(runKey(run))?.values() ?? [])];
  let end = after;
  for (; end < all.length; end += 1) {
    const size = ITEM_BYTES + sizeOf(all[end]);
    const isFirst = budget.stepBytes === STEP_PAGE_BYTES;
    if (size > budget.stepBytes && !isFirst) break;
    budget.stepBytes -= size;
  }
  return { ...splitHistory(all.slice(after, end)), stepsAfter: end < all.length ? end : null };
}

export const loadSteps = (state: MemoryState, request: LoadStepsRequest): StepPage => ({
  ...pageOfSteps(state, request),
  now: state.now(),
});

const sizeOf = (step: HistoryStep | undefined): number =>
  step?.result === null || step === undefined ? 0 : utf8Size(step.result);
