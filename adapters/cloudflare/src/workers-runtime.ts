/**
 * Types only: the few parts of Cloudflare's runtime that are used, so that you do not need its type package.
 *
 * @source https://developers.cloudflare.com/durable-objects/api/state/ and /alarms/, read 2026-11; run on workerd 1.20260426
 */

/** `this.ctx` of a Durable Object. It has one alarm, in epoch milliseconds, which becomes null as soon as it fires. */
export interface ObjectContext {
  /** The object's id among those of its class. */
  readonly id?: { toString(): string };
  readonly storage: {
    getAlarm(): Promise<number | null>;
    setAlarm(scheduledTime: number): Promise<void>;
  };
  waitUntil(work: Promise<unknown>): void;
  /** Nothing is delivered to the object until it resolves. */
  blockConcurrencyWhile<T>(work: () => Promise<T>): Promise<T>;
}
