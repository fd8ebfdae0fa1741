/** Keeps a delivered message from being delivered again for as long as its tick runs. */
import type { DurationMs } from "../core/model/records.ts";

/** The first time at the latest, however long the lease looks: the queue's clock may differ from this one. */
const FIRST_MS = 15_000;
const RETRY_MS = 3000;
const LONG_SECONDS = 60;

/**
 * A tick that is shorter than half of the message's first lease, or 15 s, asks for nothing.
 *
 * @param extend asks for so many seconds from now; false: the message is gone or another's, and asking again is of no use
 * @param leaseMs what is left of the first lease; NaN: that is not known
 * @param leaseSeconds asked for each time; a message whose invocation was killed is delivered again after it
 * @returns ends it; call it before the message is acknowledged
 * @source vercel.com/docs/queues/api, and how the package @vercel/queue 0.6.0 does it; read 2026-11-22
 */
export function holdLease(
  extend: (leaseSeconds: number) => Promise<boolean>,
  leaseMs: DurationMs,
  leaseSeconds: number = LONG_SECONDS,
): () => void {
  // Some tries fit into what is left of a lease.
  const nextMs = (leaseSeconds * 1000) / 3;
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const extendIn = (delayMs: number): void => {
    timer = setTimeout(() => void extendOnce(), delayMs);
  };
  const extendOnce = async (): Promise<void> => {
    const isHeld = await extend(leaseSeconds).catch(() => null);
    // Once another delivery has it, this tick goes on beside the other, as any two may.
    if (!isOver && isHeld !== false)
      extendIn(isHeld === null ? Math.min(RETRY_MS, nextMs) : nextMs);
  };
  extendIn(Number.isNaN(leaseMs) ? FIRST_MS : Math.min(Math.max(leaseMs / 2, 0), FIRST_MS));
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
