/** Wakes as messages of a queue that can hold them back: at once, or at an instant within what it can hold. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { WakeHint } from "../ports/platform.ts";
import { createWakeArm } from "./wake-arm.ts";
import { toWakeMessage, type WakeMessage } from "./wake-message.ts";

/** A queue whose messages run the tick function. */
export interface DelayQueue {
  /** Longest time that it holds a message back, in seconds. */
  readonly maxDelaySeconds: number;
  /**
   * @param delaySeconds whole, from 0 to `maxDelaySeconds`
   * @param key where the queue can drop duplicates: a message with the same key is one; null: it is none
   * @throws WAKE_FAILED
   */
  send(body: string, delaySeconds: number, key: string | null): Promise<void>;
}

export interface QueueWakes {
  readonly wakeNow: (hopCount: number) => Promise<void>;
  /** Beyond what the queue can hold it takes several in a row. */
  readonly wakeIn: (delayMs: DurationMs, hint: WakeHint) => Promise<void>;
  /** A wake whatever happens, after whole seconds: the same for all processes that ask in one. */
  readonly standBy: (seconds: number) => Promise<void>;
  /** The message has been delivered: call it before the tick. */
  readonly rang: (message: Pick<WakeMessage, "at">) => void;
}

type Link = Pick<WakeMessage, "thenAt"> & { readonly at: EpochMs };

export function createQueueWakes(queue: DelayQueue, now: () => EpochMs = Date.now): QueueWakes {
  let rungKey: string | null = null;
  let armedKey: string | null = null;
  const send = (message: Link, delaySeconds: number): Promise<void> => {
    const key = toKey(message.at);
    // One that rang early in the same second would have the queue drop the one that is due.
    return queue.send(toWakeMessage(message), delaySeconds, key === rungKey ? null : key);
  };
  const alarm = createWakeArm<{ readonly saidAt: EpochMs; readonly thenAt: EpochMs | null }>({
    arm: async (delayMs, { saidAt, thenAt }) => {
      const at = saidAt + delayMs;
      armedKey = toKey(at);
      // Never at once: what a tick has just found not to be had would have the same wake sent over and over.
      await send({ at, thenAt }, Math.max(1, Math.ceil(delayMs / 1000)));
    },
    maxWakeMs: queue.maxDelaySeconds * 1000,
    now,
  });
  return {
    wakeNow: (hopCount) =>
      queue.send(toWakeMessage({ hopCount, isOfRequest: hopCount === 0 }), 0, null),
    // By the database's clock the same second has one name in every process.
    wakeIn: (delayMs, { dueAt, thenWakeAt: thenAt = null }) =>
      alarm.wakeIn(delayMs, { saidAt: (dueAt ?? now() + delayMs) - delayMs, thenAt }),
    standBy: async (seconds) => {
      const at = Math.floor(now() / 1000 + seconds) * 1000;
      await send({ at, thenAt: null }, seconds);
    },
    rang: ({ at }) => {
      if (at === null) return;
      rungKey = toKey(at);
      // Of another second, the one that this process asked for is still to come: sent anew, it would be one more for ever.
      if (rungKey === armedKey) alarm.rang();
    },
  };
}

/** One message for each second, whichever process asks. */
const toKey = (at: EpochMs): string => `wake-${Math.ceil(at / 1000)}`;
