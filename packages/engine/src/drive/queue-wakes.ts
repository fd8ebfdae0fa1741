/** Wakes as messages of a queue that can hold them back: at once, or at an instant within what it can hold. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { DrivingPlatform, WakeHint } from "../ports/platform.ts";
import { createAttachment } from "./attachment.ts";
import { createWakeArm } from "./wake-arm.ts";
import { isForOthers, toForwardSeconds, toWakeMessage, type WakeMessage } from "./wake-message.ts";

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

/** Exact wakes by messages that a queue holds back. */
export interface QueueWakes {
  /** Learns from the engine which workflows this process runs. */
  readonly attach: DrivingPlatform["attach"];
  /** The body of a message of this process. */
  readonly write: (message: Partial<WakeMessage>) => string;
  readonly wakeNow: (hopCount: number) => Promise<void>;
  /** Beyond what the queue can hold it takes several in a row. */
  readonly wakeIn: (delayMs: DurationMs, hint: WakeHint) => Promise<void>;
  /** A wake whatever happens, after whole seconds: the same for all processes that ask in one. */
  readonly standBy: (seconds: number) => Promise<void>;
  /** Leaves to others what is for others: it is delivered again, to any process. @returns what is not @throws WAKE_FAILED */
  readonly forward: (wakes: readonly WakeMessage[]) => Promise<readonly WakeMessage[]>;
  /** The message has been delivered: call it before the tick. */
  readonly rang: (message: Pick<WakeMessage, "at">) => void;
}

type Link = Pick<WakeMessage, "thenAt"> & { readonly at: EpochMs };

/**
 * Creates exact wakes over a queue with delays.
 *
 * @param now process clock
 */
export function createQueueWakes(queue: DelayQueue, now: () => EpochMs = Date.now): QueueWakes {
  const { attach, workflowNames } = createAttachment();
  let rungKey: string | null = null;
  let armedKey: string | null = null;
  const toKey = (at: EpochMs): string => toName(at, workflowNames());
  const write = (message: Partial<WakeMessage>): string =>
    toWakeMessage({ ...message, workflows: workflowNames() });
  const send = (message: Link, delaySeconds: number): Promise<void> => {
    const key = toKey(message.at);
    // One that rang early in the same second would have the queue drop the one that is due.
    return queue.send(write(message), delaySeconds, key === rungKey ? null : key);
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
    attach,
    write,
    wakeNow: (hopCount) => queue.send(write({ hopCount, isOfRequest: hopCount === 0 }), 0, null),
    // By the database's clock the same second has one name in every process.
    wakeIn: (delayMs, { dueAt, thenWakeAt: thenAt = null }) =>
      alarm.wakeIn(delayMs, { saidAt: (dueAt ?? now() + delayMs) - delayMs, thenAt }),
    standBy: async (seconds) => {
      const at = Math.floor(now() / 1000 + seconds) * 1000;
      await send({ at, thenAt: null }, seconds);
    },
    forward: async (wakes) => {
      const others = wakes.filter((wake) => isForOthers(wake, workflowNames()));
      const sendOn = (wake: WakeMessage): Promise<void> => {
        const body = toWakeMessage({ ...wake, forwardCount: wake.forwardCount + 1 });
        return queue.send(body, toForwardSeconds(wake), null);
      };
      await Promise.all(others.map(sendOn));
      return wakes.filter((wake) => !others.includes(wake));
    },
    rang: ({ at }) => {
      if (at === null) return;
      rungKey = toKey(at);
      // Of another second, the one that this process asked for is still to come: sent anew, it would be one more for ever.
      if (rungKey === armedKey) alarm.rang();
    },
  };
}

/** One message for each second, whichever process asks of those that run the same workflows. */
const toName = (at: EpochMs, workflowNames: readonly string[]): string =>
  [
    `wake-${Math.ceil(at / 1000)}`,
    ...(workflowNames.length === 0 ? [] : [toDigest(workflowNames)]),
  ].join("-");

/** FNV-1a of 32 bits. */
function toDigest(names: readonly string[]): string {
  let digest = 0x811c9dc5;
  for (const character of names.toSorted().join("\n"))
    digest = Math.imul(digest ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (digest >>> 0).toString(36);
}
