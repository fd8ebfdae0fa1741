/** The events of a run as claims and commits report them. A run whose code waits for no events needs nothing more. */
import type { EventRecord } from "../core/model/records.ts";

/** What a claim or a commit reports about events. */
export interface ObservedPage {
  readonly events: readonly EventRecord[];
  readonly hasMoreEvents: boolean;
}

export class ObservedEvents {
  /** Unconsumed events, oldest first. */
  list: readonly EventRecord[];
  /** All events up to this sequence are known, whatever their type. */
  sequence: number;
  /** There are, or were, other events above it. */
  hasMore: boolean;

  constructor(
    { events, hasMoreEvents }: ObservedPage,
    sequence: number = events.at(-1)?.sequence ?? 0,
  ) {
    this.list = events;
    this.sequence = sequence;
    this.hasMore = hasMoreEvents;
  }

  /** Takes over the events that a commit read: a page of all types, above `sequence`. */
  observe({ events, hasMoreEvents }: ObservedPage): void {
    this.list = [...this.list, ...events];
    this.sequence = events.at(-1)?.sequence ?? this.sequence;
    this.hasMore = hasMoreEvents;
  }

  /** All events that these waits could take are known up to this sequence. @param _types of events, or each `waitEventType` of them */
  sequenceFor(_types: Iterable<string>): number {
    return this.sequence;
  }
}
