/**
 * Types only: the little that is used of Cloudflare's runtime, so that nobody needs its type package.
 *
 * @source https://developers.cloudflare.com/durable-objects/api/state/ and /alarms/, read 2026-11; run on workerd 1.20260426
 */

/** `this.ctx` of a Durable Object. It has one alarm, in epoch milliseconds, which is null as soon as it rings. */
export interface ObjectContext {
  /** Names the object among those of its class. */
  readonly id?: { toString(): string };
  readonly storage: {
    getAlarm(): Promise<number | null>;
    setAlarm(scheduledTime: number): Promise<void>;
  };
  waitUntil(work: Promise<unknown>): void;
  /** Nothing is delivered to the object until it resolves. */
  blockConcurrencyWhile<T>(work: () => Promise<T>): Promise<T>;
}
