/** Limits how often hints from the database, which come in swarms, lead to a look. */
import type { DurationMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";

/** Hints that come within this time after a look share the next one, so there are at most fifty looks a second. */
const HINT_GAP_MS: DurationMs = 20;

/** Takes hints. */
export interface HintGate {
  onHint(): void;
  stop(): void;
}

/** Creates a gate: a hint leads to a look at once, but not within `HINT_GAP_MS` after the last look. */
export function createHintGate(host: Host, look: () => void): HintGate {
  let nextLookMs = 0;
  let cancel: (() => void) | null = null;
  const lookNow = (): void => {
    cancel = null;
    nextLookMs = host.elapsedMs() + HINT_GAP_MS;
    look();
  };
  return {
    onHint: () => {
      if (cancel !== null) return;
      const waitMs = nextLookMs - host.elapsedMs();
      if (waitMs <= 0) lookNow();
      else cancel = host.setTimer(waitMs, lookNow);
    },
    stop: () => cancel?.(),
  };
}
