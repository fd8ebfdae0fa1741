/** Wakes as messages of a queue that can delay them: at once, or at a time within the queue's longest delay. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { DrivingPlatform, WakeHint } from "../ports/platform.ts";
import { createAttachment } from "./attachment.ts";
import { createWakeArm } from "./wake-arm.ts";
import { isForOthers, toForwardSeconds, toWakeMessage, type WakeMessage } from "./wake-message.ts";

/** A queue whose messages run the tick function. */
export interface DelayQueue {
  /** The longest delay of a message, in seconds. */
  readonly maxDelaySeconds: number;
  /**
   * @param delaySeconds an integer from 0 to `maxDelaySeconds`
   * @param key if the queue can drop duplicates, a message with the same key is one; null: never a duplicate
   * @throws WAKE_FAILED
   */
  send(body: string, delaySeconds: number, key: string | null): Promise<void>;
}

/** Exact wakes by delayed messages. */
export interface QueueWakes {
  /** Learns from the engine which workflows this process runs. */
  readonly attach: DrivingPlatform["attach"];
  /** Writes the body of a message of this process. */
  readonly write: (message: Partial<WakeMessage>) => string;
  readonly wakeNow: (hopCount: number) => Promise<void>;
  /** Wakes after a delay. Beyond the queue's longest delay, it uses several messages in a row. */
  readonly wakeIn: (delayMs: DurationMs, hint: WakeHint) => Promise<void>;
  /** Wakes after whole seconds, whatever happens. Processes that ask within one second share the message. */
  readonly standBy: (seconds: number) => Promise<void>;
  /** Forwards wakes that are for other processes, so that they are delivered again. @returns the rest @throws WAKE_FAILED */
  readonly forward: (wakes: readonly WakeMessage[]) => Promise<readonly WakeMessage[]>;
  /** The message has been delivered: call it before the tick. */
  readonly fired: (message: Pick<WakeMessage, "at">) => void;
}

type Link = Pick<WakeMessage, "thenAt"> & { readonly at: EpochMs };

/**
 * Creates exact wakes over a queue with delays.
 *
 * @param now the process's clock
 */
export function createQueueWakes(queue: DelayQueue, now: () => EpochMs = Date.now): QueueWakes {
  const { attach, workflowNames } = createAttachment();
  let firedKey: string | null = null;
  let armedKey: string | null = null;
  const toKey = (at: EpochMs): string => toName(at, workflowNames());
  const write = (message: Partial<WakeMessage>): string =>
    toWakeMessage({ ...message, workflows: workflowNames() });
  const send = (message: Link, delaySeconds: number): Promise<void> => {
    const key = toKey(message.at);
    // If a message of the same second came early, the queue would drop this one as its duplicate.
    return queue.send(write(message), delaySeconds, key === firedKey ? null : key);
  };
  const alarm = createWakeArm<{ readonly saidAt: EpochMs; readonly thenAt: EpochMs | null }>({
    arm: async (delayMs, { saidAt, thenAt }) => {
      const at = saidAt + delayMs;
      armedKey = toKey(at);
      // Never at once: for work that a tick could not get, the same wake would be sent over and over.
      await send({ at, thenAt }, Math.max(1, Math.ceil(delayMs / 1000)));
    },
    maxWakeMs: queue.maxDelaySeconds * 1000,
    now,
  });
  return {
    attach,
    write,
    wakeNow: (hopCount) => queue.send(write({ hopCount, isOfRequest: hopCount === 0 }), 0, null),
    // The second is that of the database's clock, so it has the same name in every process.
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
    fired: ({ at }) => {
      if (at === null) return;
      firedKey = toKey(at);
      // If it was for another second, this process's own message is still to come. Sending it again would add a message for ever.
      if (firedKey === armedKey) alarm.fired();
    },
  };
}

/** Makes the key of a second's message, the same in all processes that run the same workflows. */
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
