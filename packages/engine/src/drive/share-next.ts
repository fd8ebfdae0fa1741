/** Joins immediate wakes that are requested faster than they can be sent. */
import type { WakeHint } from "../ports/platform.ts";

/**
 * Keeps one send in flight and one to follow. Requests that come meanwhile share the one that follows, which begins after all
 * commits that requested it. A wake that did not come from a hand-over resets the count of hops.
 */
export function shareNext(
  send: (hopCount: number) => Promise<void>,
): (hint: WakeHint) => Promise<void> {
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  let hopCount = Infinity;
  const begin = (): Promise<void> => {
    [current, next] = [next ?? current, null];
    const hops = hopCount;
    hopCount = Infinity;
    return send(hops);
  };
  return (hint) => {
    hopCount = Math.min(hopCount, hint.hopCount ?? 0);
    return (next ??= current.then(begin, begin));
  };
}
