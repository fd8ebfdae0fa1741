/** Polls while the page is visible: often while something changes, and less and less often while nothing does. */
import { effect, type Signal, signal as createSignal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, toWait } from "./api.ts";

/** The last answer, and the error since then. */
export interface Polled<Output> {
  readonly data: Signal<Output | null>;
  readonly error: Signal<ApiError | null>;
  /** Polls at once. */
  readonly refresh: () => void;
}

const SELDOM_MS = 30_000;
/** How long to wait after an answer with changes: for one instance, for a list, and for things that change by the minute. */
const PACES = { live: 2000, list: 4000, slow: SELDOM_MS } as const;
/** A page waits at least this many times as long as the last answer took, so that a busy server is asked less. */
const SHARE = 20;

/** Whether pages poll by themselves: the button in the header. */
export const isLive: Signal<boolean> = createSignal(true);

/** Options of a poll. */
interface PollOptions<Output> {
  /** Whether to ask for the rest at once. */
  readonly isPartial?: (output: Output) => boolean;
  /** @default the same JSON */
  readonly isSame?: (left: Output, right: Output) => boolean;
  /** @default "list" */
  readonly pace?: keyof typeof PACES;
}

/**
 * Polls as long as the component is mounted. It awaits one answer before it asks for the next, and a hidden page does not ask.
 *
 * @param key identifies the question: when it changes, the old answer is discarded
 */
export function usePoll<Output>(
  key: string,
  load: (signal: AbortSignal) => Promise<Output>,
  options: PollOptions<Output> = {},
): Polled<Output> {
  const { isPartial = () => false, isSame = isSameJson, pace = "list" } = options;
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
        const before = data.peek();
        const hasRest = isPartial(next);
        if (before !== null && isSame(before, next)) return hasRest ? "partial" : "same";
        data.value = next;
        return hasRest ? "partial" : "changed";
      } catch (caught) {
        if (signal.aborted) return "same";
        error.value =
          caught instanceof ApiError
            ? caught
            : new ApiError(
                0,
                "OFFLINE",
                "The server cannot be reached. Trying again until it answers.",
              );
        return "failed";
      }
    }, PACES[pace]);
    refresh.current = rounds.soon;
    return rounds.stop;
  }, [key]);
  return { data, error, refresh: () => refresh.current() };
}

const isSameJson = (left: unknown, right: unknown): boolean =>
  left === right || JSON.stringify(left) === JSON.stringify(right);

type Outcome = "same" | "changed" | "partial" | "failed";

interface Rounds {
  readonly soon: () => void;
  readonly stop: () => void;
}

function startRounds(ask: (signal: AbortSignal) => Promise<Outcome>, soonMs: number): Rounds {
  const ends = new AbortController();
  let delayMs = soonMs;
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
    const askedAt = performance.now();
    const outcome = await ask(ends.signal);
    isAsking = false;
    const leastMs = Math.max(toWait(soonMs), (performance.now() - askedAt) * SHARE);
    delayMs = Math.min(Math.max(outcome === "changed" ? 0 : delayMs * 1.5, leastMs), SELDOM_MS);
    const isNext = isAskedAgain || outcome === "partial";
    isAskedAgain = false;
    if (isNext || isLive.peek()) timer = setTimeout(() => void round(), isNext ? 0 : delayMs);
  };
  const soon = (): void => {
    delayMs = soonMs;
    void round();
  };
  const seen = (): void => {
    if (isLive.peek()) soon();
  };
  document.addEventListener("visibilitychange", seen, { signal: ends.signal });
  let isFirst = true;
  const unfollow = effect(() => {
    if (isLive.value || isFirst) soon();
    else clearTimeout(timer);
    isFirst = false;
  });
  return {
    soon,
    stop: () => {
      ends.abort();
      unfollow();
      clearTimeout(timer);
    },
  };
}
