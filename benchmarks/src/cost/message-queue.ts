/** A queue that holds messages back, and hands them to a function that takes so many invocations at once. */
import { DELIVERY_MS, type Scene } from "./scene.ts";

export interface MessageQueueOptions<T> {
  /** Invocations at once; what is beyond waits. */
  readonly maxConcurrency: number;
  /** Messages of one invocation. */
  readonly batchSize: number;
  /** A message that nobody has acknowledged so long after its delivery is delivered again, in milliseconds. */
  readonly leaseMs: number;
  /** May reject: then the messages' leases end by themselves. */
  readonly deliver: (deliveries: readonly Delivery<T>[]) => Promise<unknown>;
}

/** A message that is delivered. */
export interface Delivery<T> {
  readonly message: T;
  /** Names it. */
  readonly receipt: string;
  /** Counts from 1. */
  readonly receiveCount: number;
}

export interface MessageQueue<T> {
  /** Counts as one message; the sender waits for nothing here. */
  send(message: T, delaySeconds: number): void;
  acknowledge(receipt: string): void;
  /** Delivers it again so long from now, and no sooner. @returns false: it is gone */
  holdFor(receipt: string, ms: number): boolean;
}

interface Waiting<T> {
  readonly message: T;
  readonly receiveCount: number;
  readonly since: number;
}

export function createMessageQueue<T>(
  scene: Scene,
  { maxConcurrency, batchSize, leaseMs, deliver }: MessageQueueOptions<T>,
): MessageQueue<T> {
  const { time, random, meter, wakes } = scene;
  const waiting: Waiting<T>[] = [];
  const leased = new Map<string, { readonly one: Waiting<T>; endsAt: number }>();
  let [running, lastReceipt] = [0, 0];
  const put = (message: T, receiveCount: number): void => {
    waiting.push({ message, receiveCount, since: time.now() });
    void pump();
  };
  const lease = (one: Waiting<T>): Delivery<T> => {
    meter.sample("messageWaitMs", time.now() - one.since);
    const receipt = String((lastReceipt += 1));
    leaseFor(receipt, one, leaseMs);
    return { message: one.message, receipt, receiveCount: one.receiveCount };
  };
  // The queue's own time: that of a sandbox which holds the message ends with it.
  const leaseFor = (receipt: string, one: Waiting<T>, ms: number): void => {
    const endsAt = time.now() + ms;
    leased.set(receipt, { one, endsAt });
    time.at(endsAt, () => {
      if (leased.get(receipt)?.endsAt !== endsAt) return;
      leased.delete(receipt);
      put(one.message, one.receiveCount + 1);
    });
  };
  const pump = async (): Promise<void> => {
    if (running >= maxConcurrency || waiting.length === 0) return;
    const deliveries = waiting.splice(0, batchSize).map(lease);
    meter.count("batches");
    running += 1;
    try {
      await deliver(deliveries);
    } catch (error) {
      // Where nothing is to go wrong, nothing may.
      if (wakes === undefined) throw error;
    } finally {
      running -= 1;
      void pump();
    }
  };
  return {
    send: (message, delaySeconds) => {
      meter.count("messages");
      const at = time.now() + delaySeconds * 1000;
      wakes?.armed(delaySeconds === 0 ? null : at);
      const first = at + random(DELIVERY_MS);
      for (const afterMs of [0, ...(wakes?.copiesAfterMs() ?? [])])
        time.at(first + afterMs, () => put(message, 1));
    },
    acknowledge: (receipt) => {
      leased.delete(receipt);
    },
    holdFor: (receipt, ms) => {
      const held = leased.get(receipt);
      if (held !== undefined) leaseFor(receipt, held.one, ms);
      return held !== undefined;
    },
  };
}
