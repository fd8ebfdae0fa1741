/** Hints from the database, of which many come at once: how often they are looked at. */
import type { DurationMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";

/** Hints that come within so long of a look share the next one: fifty looks a second at most, whatever others do. */
const HINT_GAP_MS: DurationMs = 20;

/** What comes of hints, and the end of it. */
export interface HintGate {
  onHint(): void;
  stop(): void;
}

/** A hint is looked at at once; after a look, not before `HINT_GAP_MS` are over. */
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
