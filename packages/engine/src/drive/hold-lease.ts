/** Keeps a message from being delivered again while its tick runs. */
import type { DurationMs } from "../core/model/records.ts";

/** The first extension comes at this time at the latest, however long the lease seems, because the queue's clock may differ from ours. */
const FIRST_MS = 15_000;
const RETRY_MS = 3000;
const LONG_SECONDS = 60;

/**
 * Extends a message's lease again and again. A tick that is shorter than half of the first lease, or than 15 s, extends nothing.
 *
 * @param extend extends the lease to so many seconds from now; false: the message is gone or belongs to another delivery
 * @param leaseMs what is left of the first lease; NaN: unknown
 * @param leaseSeconds the length of each extension; if the invocation is killed, the message is delivered again after it
 * @returns a function that stops it; call it before the message is acknowledged
 * @source vercel.com/docs/queues/api, and how the package @vercel/queue 0.6.0 does it; read 2026-11-22
 */
export function holdLease(
  extend: (leaseSeconds: number) => Promise<boolean>,
  leaseMs: DurationMs,
  leaseSeconds: number = LONG_SECONDS,
): () => void {
  // Leave time for a few tries before the lease ends.
  const nextMs = (leaseSeconds * 1000) / 3;
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const extendIn = (delayMs: number): void => {
    timer = setTimeout(() => void extendOnce(), delayMs);
  };
  const extendOnce = async (): Promise<void> => {
    const isHeld = await extend(leaseSeconds).catch(() => null);
    // If another delivery has the message, this tick goes on beside it, as any two ticks may.
    if (!isOver && isHeld !== false)
      extendIn(isHeld === null ? Math.min(RETRY_MS, nextMs) : nextMs);
  };
  extendIn(Number.isNaN(leaseMs) ? FIRST_MS : Math.min(Math.max(leaseMs / 2, 0), FIRST_MS));
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
