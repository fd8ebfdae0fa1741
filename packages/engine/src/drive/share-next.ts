/** Wakes at once that are asked for faster than they can be sent. */
import type { WakeHint } from "../ports/platform.ts";

/**
 * One send in flight and one to follow: what is asked meanwhile shares the one to follow, which begins after every commit
 * that asked for it. A wake that no hand-over began starts the count of hops anew.
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
