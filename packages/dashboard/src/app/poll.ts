/** Asks again while the page is looked at: often while something changes, ever less while nothing does. */
import { effect, type Signal, signal as createSignal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, toWait } from "./api.ts";

/** What was answered last, and what went wrong since. */
export interface Polled<Output> {
  readonly data: Signal<Output | null>;
  readonly error: Signal<ApiError | null>;
  /** Asks at once. */
  readonly refresh: () => void;
}

const SELDOM_MS = 30_000;
/** How long after an answer that changed the next is asked for: of one instance, of a list, of what changes by the minute. */
const PACES = { live: 2000, list: 4000, slow: SELDOM_MS } as const;
/** A page waits so many times as long as the last answer took: a server that is busy is asked less. */
const SHARE = 20;

/** Whether pages ask again by themselves: the button in the header. */
export const isLive: Signal<boolean> = createSignal(true);

/** How a page asks. */
interface PollOptions<Output> {
  /** Whether the rest of it is to be asked for at once. */
  readonly isPartial?: (output: Output) => boolean;
  /** @default the same JSON */
  readonly isSame?: (left: Output, right: Output) => boolean;
  /** @default "list" */
  readonly pace?: keyof typeof PACES;
}

/**
 * Polls for as long as the component is there. One answer is awaited before the next is asked for, and a hidden page asks nothing.
 *
 * @param key what is asked for: when it changes, what was answered is forgotten
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
                "The server cannot be reached. It is asked again until it can.",
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
