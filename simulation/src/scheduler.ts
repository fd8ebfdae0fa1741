/** Virtual time: a queue of events, one after the other, each followed by everything that it sets off at once. */
import { untilLoaded } from "../../packages/engine/src/core/late.ts";

/** 2026-01-01T00:00:00Z: a round start that reads well in failures. */
export const START_AT = 1_767_225_600_000;

/** Whoever events belong to: those of a dead owner never happen, those of a frozen one happen later. */
export interface Owner {
  isAlive: boolean;
  frozenUntil: number;
}

interface Entry {
  at: number;
  readonly order: number;
  readonly owner: Owner | null;
  /** null: cancelled. */
  run: (() => unknown) | null;
}

/** More events than this mean that something spins without time passing. */
const EVENTS_MAX = 400_000;

export class Scheduler {
  /** True time, and the time of the database. */
  now: number = START_AT;
  eventCount = 0;
  readonly #heap: Entry[] = [];
  #order = 0;

  /** Runs something after a delay. @returns a function that cancels */
  after(delayMs: number, owner: Owner | null, run: () => unknown): () => void {
    this.#order += 1;
    const at = this.now + Math.max(0, Math.ceil(delayMs));
    const entry: Entry = { at, order: this.#order, owner, run };
    this.#push(entry);
    return () => {
      entry.run = null;
    };
  }

  /** Resolves after a delay; never, when the owner dies before. */
  sleep(delayMs: number, owner: Owner | null): Promise<void> {
    return new Promise((resolve) => void this.after(delayMs, owner, resolve));
  }

  /** @returns whether `isDone` held before time, or the events, ran out */
  async runUntil(isDone: () => boolean, endAt: number): Promise<boolean> {
    await drain();
    while (!isDone()) {
      const [entry] = this.#heap;
      if (entry === undefined || entry.at > endAt || this.eventCount > EVENTS_MAX) return false;
      this.#pop();
      const { owner, run } = entry;
      if (run === null || owner?.isAlive === false) continue;
      if (owner !== null && owner.frozenUntil > entry.at) {
        this.after(owner.frozenUntil - this.now, owner, run);
        continue;
      }
      this.now = Math.max(this.now, entry.at);
      this.eventCount += 1;
      const under = run();
      if (under instanceof Promise) await under;
      await drain();
    }
    return true;
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (isBefore(heap[parent] as Entry, entry)) break;
      heap[index] = heap[parent] as Entry;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry, heap[child] as Entry))
        child += 1;
      if (isBefore(last, heap[child] as Entry)) break;
      heap[index] = heap[child] as Entry;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

const isBefore = (a: Entry, b: Entry): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order);

/** Every microtask runs before the next immediate does. Time stands still while the engine loads code of its own. */
async function drain(): Promise<void> {
  do await new Promise((resolve) => void setImmediate(resolve));
  while (await untilLoaded());
}
