/** Loads runs whose steps are more than a claim reads. Loaded with the first of them. */
import { splitHistory } from "../core/history/split-history.ts";
import type { EpochMs, HistoryStep } from "../core/model/records.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { Host } from "../ports/host.ts";
import type { Store } from "../ports/store.ts";
import type { SessionOptions } from "../run/session-options.ts";

export interface WholeRun {
  readonly run: ClaimedRun;
  /** Database time of the last call. */
  readonly now: EpochMs;
}

/** A whole run, and the options that its session begins with. @throws what the store throws */
export async function readWhole(
  { store, host }: { readonly store: Store; readonly host: Pick<Host, "elapsedMs"> },
  claimed: ClaimedRun,
  options: SessionOptions,
): Promise<{ readonly run: ClaimedRun; readonly options: SessionOptions }> {
  const { run, now } = await loadWhole(store, claimed);
  return { run, options: { ...options, now, observedAtMs: host.elapsedMs() } };
}

/** Reads the steps that a run's claim left out, page by page, one trip each. @throws what the store throws */
export async function loadWhole(store: Store, claimed: ClaimedRun): Promise<WholeRun> {
  const steps: HistoryStep[] = [];
  let now: EpochMs = 0;
  for (let after: number | null = 0; after !== null;) {
    const page = await store.loadSteps({ ...claimed.run, after });
    steps.push(...page.settled, ...page.open);
    ({ now, stepsAfter: after } = page);
  }
  return { run: { ...claimed, ...splitHistory(steps), isWhole: true }, now };
}
