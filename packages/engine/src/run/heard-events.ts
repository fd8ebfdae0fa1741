/** The events of a run as claims and commits tell of them: all that a run knows whose code asks for none. */
import type { EventRecord } from "../core/model/records.ts";

/** What a claim or a commit tells of events. */
export interface Heard {
  readonly events: readonly EventRecord[];
  readonly hasMoreEvents: boolean;
}

export class HeardEvents {
  /** Unconsumed events, oldest first. */
  list: readonly EventRecord[];
  /** Up to where all events are known, of whatever type. */
  sequence: number;
  /** There are, or were, others above. */
  hasMore: boolean;

  constructor({ events, hasMoreEvents }: Heard, sequence: number = events.at(-1)?.sequence ?? 0) {
    this.list = events;
    this.sequence = sequence;
    this.hasMore = hasMoreEvents;
  }

  /** A commit that reads events was answered: a page of any types above `sequence`. */
  hear({ events, hasMoreEvents }: Heard): void {
    this.add(events);
    this.sequence = Math.max(this.sequence, events.at(-1)?.sequence ?? 0);
    this.hasMore = hasMoreEvents;
  }

  /** Up to where all events are known that waits of these types could take. */
  sequenceFor(_types: Iterable<string>): number {
    return this.sequence;
  }

  protected add(events: readonly EventRecord[]): void {
    const known = new Set(this.list.map(({ id }) => id));
    const fresh = events.filter(({ id }) => !known.has(id));
    if (fresh.length > 0)
      this.list = [...this.list, ...fresh].toSorted((a, b) => a.sequence - b.sequence);
  }
}
