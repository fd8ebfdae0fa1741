/** Runs whose steps are more than one call reads. */
import { splitHistory } from "../core/history/history.ts";
import type { EpochMs, HistoryStep } from "../core/model/records.ts";
import type { ClaimedRun, Store } from "../ports/store.ts";

export interface WholeRun {
  readonly run: ClaimedRun;
  /** Database time of the last call. */
  readonly now: EpochMs;
}

/** Reads what a claim has left of a run's steps, page by page, one trip each. @throws what the store throws */
export async function loadWhole(
  store: Store,
  claimed: ClaimedRun,
  claimedAt: EpochMs,
): Promise<WholeRun> {
  const steps: HistoryStep[] = [...claimed.settled, ...claimed.open];
  let now = claimedAt;
  for (let after = claimed.stepsAfter; after !== null;) {
    const page = await store.loadSteps({ ...claimed.run, after });
    steps.push(...page.settled, ...page.open);
    ({ now, stepsAfter: after } = page);
  }
  return { run: { ...claimed, ...splitHistory(steps), stepsAfter: null }, now };
}
