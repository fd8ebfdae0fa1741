/** Asks again while the page is looked at: often while something changes, ever less while nothing does. */
import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError } from "./api.ts";

/** What was answered last, and what went wrong since. */
export interface Polled<Output> {
  readonly data: Signal<Output | null>;
  readonly error: Signal<ApiError | null>;
  /** Asks at once. */
  readonly refresh: () => void;
}

const SOON_MS = 2000;
const SELDOM_MS = 30_000;

/**
 * Polls for as long as the component is there. One answer is awaited before the next is asked for, and a hidden page asks nothing.
 *
 * @param isPartial whether the rest of it is to be asked for at once
 * @param key what is asked for: when it changes, what was answered is forgotten
 */
export function usePoll<Output>(
  key: string,
  load: (signal: AbortSignal) => Promise<Output>,
  isPartial: (output: Output) => boolean = () => false,
): Polled<Output> {
  const data = useSignal<Output | null>(null);
  const error = useSignal<ApiError | null>(null);
  const loadNow = useRef(load);
  loadNow.current = load;
  const refresh = useRef<() => void>(() => undefined);
  useEffect(() => {
    data.value = null;
    error.value = null;
    const rounds = startRounds(async (signal) => {
      try {
        const next = await loadNow.current(signal);
        if (signal.aborted) return "same";
        error.value = null;
        if (JSON.stringify(next) === JSON.stringify(data.value)) return "same";
        data.value = next;
        return isPartial(next) ? "partial" : "changed";
      } catch (caught) {
        if (signal.aborted) return "same";
        error.value =
          caught instanceof ApiError
            ? caught
            : new ApiError(0, "OFFLINE", "The server cannot be reached.");
        return "failed";
      }
    });
    refresh.current = rounds.soon;
    return rounds.stop;
  }, [key]);
  return { data, error, refresh: () => refresh.current() };
}

type Outcome = "same" | "changed" | "partial" | "failed";

interface Rounds {
  readonly soon: () => void;
  readonly stop: () => void;
}

function startRounds(ask: (signal: AbortSignal) => Promise<Outcome>): Rounds {
  const ends = new AbortController();
  let delayMs = SOON_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let isAskedAgain = false;
  const round = async (): Promise<void> => {
    clearTimeout(timer);
    if (document.visibilityState === "hidden" || ends.signal.aborted) return;
    if (isAsking) {
      isAskedAgain = true;
      return;
    }
    isAsking = true;
    const outcome = await ask(ends.signal);
    isAsking = false;
    delayMs = outcome === "changed" ? SOON_MS : Math.min(delayMs * 1.5, SELDOM_MS);
    timer = setTimeout(() => void round(), isAskedAgain || outcome === "partial" ? 0 : delayMs);
    isAskedAgain = false;
  };
  const soon = (): void => {
    delayMs = SOON_MS;
    void round();
  };
  document.addEventListener("visibilitychange", soon, { signal: ends.signal });
  soon();
  return {
    soon,
    stop: () => {
      ends.abort();
      clearTimeout(timer);
    },
  };
}
