/** Wakes as messages of a queue that can hold them back: at once, or at an instant within what it can hold. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { WakeHint } from "../ports/platform.ts";
import type { TickInput } from "../ports/service.ts";
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
  readonly wakeIn: (delayMs: DurationMs, hint: WakeHint) => Promise<void>;
  /** A wake whatever happens, after whole seconds: the same for all processes that ask in one. */
  readonly standBy: (seconds: number) => Promise<void>;
  /** The message has been delivered: call it before the tick. */
  readonly rang: (message: WakeMessage) => void;
}

/** All that a wake says: nothing that a caller could use to run something else. */
export interface WakeMessage {
  /** Hand-overs in a row that end in this one. */
  readonly hopCount: number;
  /** The instant that it was held back for, by the database's clock; null: none. */
  readonly at: EpochMs | null;
  /** See `TickInput.thenWakeAt`. */
  readonly thenAt: EpochMs | null;
}

export function createQueueWakes(queue: DelayQueue, now: () => EpochMs = Date.now): QueueWakes {
  let rungKey: string | null = null;
  let armedKey: string | null = null;
  const send = (message: WakeMessage & { at: EpochMs }, delaySeconds: number): Promise<void> => {
    const key = toKey(message.at);
    // One that rang early in the same second would have the queue drop the one that is due.
    return queue.send(toWakeMessage(message), delaySeconds, key === rungKey ? null : key);
  };
  const alarm = createWakeArm<{ readonly saidAt: EpochMs; readonly thenAt: EpochMs | null }>({
    arm: async (delayMs, { saidAt, thenAt }) => {
      const at = saidAt + delayMs;
      armedKey = toKey(at);
      // Never at once: what a tick has just found not to be had would have the same wake sent over and over.
      await send({ hopCount: 0, at, thenAt }, Math.max(1, Math.ceil(delayMs / 1000)));
    },
    maxWakeMs: queue.maxDelaySeconds * 1000,
    now,
  });
  return {
    wakeNow: (hopCount) => queue.send(toWakeMessage({ hopCount, at: null, thenAt: null }), 0, null),
    // By the database's clock the same second has one name in every process.
    wakeIn: (delayMs, { dueAt, thenWakeAt: thenAt = null }) =>
      alarm.wakeIn(delayMs, { saidAt: (dueAt ?? now() + delayMs) - delayMs, thenAt }),
    standBy: async (seconds) => {
      const at = Math.floor(now() / 1000 + seconds) * 1000;
      await send({ hopCount: 0, at, thenAt: null }, seconds);
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

const toWakeMessage = (message: WakeMessage): string =>
  JSON.stringify({ kind: "tick", ...message });

const isInstant = (value: unknown): value is EpochMs | null =>
  value === null || (typeof value === "number" && Number.isFinite(value));

/** What the tick is told of all that a batch wakes for. */
export function joinWakes(
  wakes: readonly WakeMessage[],
): Pick<TickInput, "thenWakeAt"> & Pick<WakeMessage, "hopCount"> {
  const delivered = new Set(wakes.map(({ at }) => at));
  const others = wakes.flatMap(({ thenAt }) =>
    thenAt === null || delivered.has(thenAt) ? [] : thenAt,
  );
  return {
    hopCount: Math.min(...wakes.map(({ hopCount }) => hopCount)),
    thenWakeAt: others.length === 0 ? null : Math.min(...others),
  };
}

/** What a delivered message says; null: it is no wake. */
export function parseWakeMessage(text: string): WakeMessage | null {
  try {
    const {
      kind,
      hopCount = 0,
      at = null,
      thenAt = null,
    } = JSON.parse(text) as Partial<Record<"kind" | keyof WakeMessage, unknown>>;
    const isCount = typeof hopCount === "number" && Number.isSafeInteger(hopCount) && hopCount >= 0;
    const isWake = kind === "tick" && isCount && isInstant(at) && isInstant(thenAt);
    return isWake ? { hopCount, at, thenAt } : null;
  } catch {
    return null;
  }
}
