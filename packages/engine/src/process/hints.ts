/** Limits how often hints from the database, which come in swarms, lead to a check. */
import type { DurationMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";

/** Hints that come within this time after a check share the next one, so there are at most fifty checks a second. */
const HINT_GAP_MS: DurationMs = 20;

/** Takes hints. */
export interface HintGate {
  onHint(): void;
  stop(): void;
}

/** Creates a gate: a hint leads to a check at once, but not within `HINT_GAP_MS` after the last check. */
export function createHintGate(host: Host, check: () => void): HintGate {
  let nextCheckMs = 0;
  let cancel: (() => void) | null = null;
  const checkNow = (): void => {
    cancel = null;
    nextCheckMs = host.elapsedMs() + HINT_GAP_MS;
    check();
  };
  return {
    onHint: () => {
      if (cancel !== null) return;
      const waitMs = nextCheckMs - host.elapsedMs();
      if (waitMs <= 0) checkNow();
      else cancel = host.setTimer(waitMs, checkNow);
    },
    stop: () => cancel?.(),
  };
}
