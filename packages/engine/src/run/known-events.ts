/**
 * The events of a run whose code waits for events. Usually all of them are known. A run with more than a page comes with the
 * oldest ones, and others are read by type when a wait needs them.
 */
import { fromWaitTypes } from "../core/event-types.ts";
import type { EventRecord } from "../core/model/records.ts";
import type { EventPage } from "../ports/run-pages.ts";
import { type ObservedPage, ObservedEvents } from "./observed-events.ts";
import type { KnownRun } from "./known-run.ts";

export class KnownEvents extends ObservedEvents {
  /** For each type, up to which sequence its events are known, and whether those are all. */
  readonly #read = new Map<string, { readonly upTo: number; readonly isAll: boolean }>();
  /** Taken events by id; null: the event was not known. */
  readonly #taken = new Map<string, EventRecord | null>();

  /** There may be unread events of these types, so a wait that finds none is not decided yet. */
  isUnread(...types: readonly string[]): boolean {
    return this.hasMore && types.some((type) => this.#read.get(type)?.isAll !== true);
  }

  /** The sequence after which to continue reading a type. */
  readAfter(type: string): number {
    return Math.max(this.sequence, this.#read.get(type)?.upTo ?? 0);
  }

  /** Takes over a page of these types, which was read from their `sequenceFor` on. */
  read(types: readonly string[], { events, upTo, hasMore }: EventPage): void {
    for (const type of types)
      this.#read.set(type, { upTo: Math.max(upTo, this.readAfter(type)), isAll: !hasMore });
    this.#add(events);
  }

  override observe({ events, hasMoreEvents }: ObservedPage): void {
    this.#add(events);
    this.sequence = Math.max(this.sequence, events.at(-1)?.sequence ?? 0);
    this.hasMore = hasMoreEvents;
    // Events that came since the types were read may lie beyond the page.
    for (const [type, { upTo }] of this.#read) this.#read.set(type, { upTo, isAll: false });
  }

  /** Gives an event to a wait, so that no other wait gets it. */
  take(id: string): void {
    this.#taken.set(id, this.list.find((event) => event.id === id) ?? this.#taken.get(id) ?? null);
    this.list = this.list.filter((event) => event.id !== id);
  }

  /** Makes a taken event available again. */
  release(id: string): void {
    const event = this.#taken.get(id);
    this.#taken.delete(id);
    if (event !== undefined && event !== null) this.#add([event]);
  }

  /** Forgets an event that a commit has consumed. */
  forget(id: string): void {
    this.#taken.set(id, null);
  }

  override sequenceFor(types: Iterable<string>): number {
    let known = Infinity;
    for (const wait of types)
      for (const type of fromWaitTypes(wait)) known = Math.min(known, this.readAfter(type));
    return known === Infinity ? this.sequence : known;
  }

  #add(events: readonly EventRecord[]): void {
    const known = new Set(this.list.map(({ id }) => id));
    const fresh = events.filter(({ id }) => !known.has(id) && !this.#taken.has(id));
    if (fresh.length > 0)
      this.list = [...this.list, ...fresh].toSorted((a, b) => a.sequence - b.sequence);
  }
}

/** Returns the events of a run, and creates the record on first use. */
export function eventsOf(known: KnownRun): KnownEvents {
  const { events } = known;
  if (events instanceof KnownEvents) return events;
  const { list, hasMore, sequence } = events;
  const waited = new KnownEvents({ events: list, hasMoreEvents: hasMore }, sequence);
  known.events = waited;
  return waited;
}
