/** A queue that holds messages back, and hands them to a function that takes so many invocations at once. */
import { DELIVERY_MS, type Scene } from "./scene.ts";

export interface MessageQueueOptions<T> {
  /** Invocations at once; what is beyond waits. */
  readonly maxConcurrency: number;
  /** Messages of one invocation. */
  readonly batchSize: number;
  readonly deliver: (messages: readonly T[]) => Promise<unknown>;
}

export interface MessageQueue<T> {
  /** Counts as one message; the sender waits for nothing here. */
  send(message: T, delaySeconds: number): void;
}

export function createMessageQueue<T>(
  { time, random, meter }: Scene,
  { maxConcurrency, batchSize, deliver }: MessageQueueOptions<T>,
): MessageQueue<T> {
  const waiting: { readonly message: T; readonly since: number }[] = [];
  let running = 0;
  const pump = async (): Promise<void> => {
    if (running >= maxConcurrency || waiting.length === 0) return;
    const batch = waiting.splice(0, batchSize);
    for (const { since } of batch) meter.sample("messageWaitMs", time.now() - since);
    meter.count("batches");
    running += 1;
    try {
      await deliver(batch.map(({ message }) => message));
    } finally {
      running -= 1;
      void pump();
    }
  };
  return {
    send: (message, delaySeconds) => {
      meter.count("messages");
      time.at(time.now() + delaySeconds * 1000 + random(DELIVERY_MS), () => {
        waiting.push({ message, since: time.now() });
        void pump();
      });
    },
  };
}
