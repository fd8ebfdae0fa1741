/** Wakes as messages of a queue that can hold them back: at once, or at an instant within what it can hold. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import { createWakeArm } from "./wake-arm.ts";

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
  readonly wakeIn: (delayMs: DurationMs, dueAt?: EpochMs | null) => Promise<void>;
  /** The message has been delivered: call it before the tick. */
  readonly rang: (message: WakeMessage) => void;
}

/** All that a wake says: nothing that a caller could use to run something else. */
export interface WakeMessage {
  /** Hand-overs in a row that end in this one. */
  readonly hopCount: number;
  /** The instant that it was held back for, by the database's clock; null: none. */
  readonly at: EpochMs | null;
}

export function createQueueWakes(queue: DelayQueue, now: () => EpochMs = Date.now): QueueWakes {
  let rungKey: string | null = null;
  let armedKey: string | null = null;
  const alarm = createWakeArm({
    arm: async (delayMs, saidAt) => {
      const at = saidAt + delayMs;
      const key = toKey(at);
      armedKey = key;
      // Never at once: what a tick has just found not to be had would have the same wake sent over and over.
      const delaySeconds = Math.max(1, Math.ceil(delayMs / 1000));
      // One that rang early in the same second would have the queue drop the one that is due.
      await queue.send(
        toWakeMessage({ hopCount: 0, at }),
        delaySeconds,
        key === rungKey ? null : key,
      );
    },
    maxWakeMs: queue.maxDelaySeconds * 1000,
    now,
  });
  return {
    wakeNow: (hopCount) => queue.send(toWakeMessage({ hopCount, at: null }), 0, null),
    // By the database's clock the same second has one name in every process.
    wakeIn: (delayMs, dueAt = null) =>
      alarm.wakeIn(delayMs, dueAt === null ? undefined : dueAt - delayMs),
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

export const toWakeMessage = (message: WakeMessage): string =>
  JSON.stringify({ kind: "tick", ...message });

/** What a delivered message says; null: it is no wake. */
export function parseWakeMessage(text: string): WakeMessage | null {
  try {
    const {
      kind,
      hopCount = 0,
      at = null,
    } = JSON.parse(text) as Partial<Record<"kind" | "hopCount" | "at", unknown>>;
    const isCount = typeof hopCount === "number" && Number.isSafeInteger(hopCount) && hopCount >= 0;
    const isInstant = at === null || (typeof at === "number" && Number.isFinite(at));
    return kind === "tick" && isCount && isInstant ? { hopCount, at } : null;
  } catch {
    return null;
  }
}
