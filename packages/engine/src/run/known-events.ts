/**
 * The events of a run whose code waits for some. Nearly always all are known: a run that holds more than a page comes with the
 * oldest ones, and what its waits look for beyond them is read by type, when a wait asks for it.
 */
import type { EventRecord } from "../core/model/records.ts";
import type { EventPage } from "../ports/run-pages.ts";
import { type Heard, HeardEvents } from "./heard-events.ts";
import type { KnownRun } from "./known-run.ts";

export class KnownEvents extends HeardEvents {
  /** By type, up to where its events are known, and whether that was all that there were. */
  readonly #read = new Map<string, { readonly upTo: number; readonly isAll: boolean }>();
  /** By id; null: it was not known. */
  readonly #taken = new Map<string, EventRecord | null>();

  /** An event of the types may be there that nobody has read: a wait that finds none is not decided yet. */
  isUnread(...types: readonly string[]): boolean {
    return this.hasMore && types.some((type) => this.#read.get(type)?.isAll !== true);
  }

  /** Where reading the type goes on. */
  readAfter(type: string): number {
    return Math.max(this.sequence, this.#read.get(type)?.upTo ?? 0);
  }

  /** A page of these types was read, from `sequenceFor` them on. */
  read(types: readonly string[], { events, upTo, hasMore }: EventPage): void {
    for (const type of types)
      this.#read.set(type, { upTo: Math.max(upTo, this.readAfter(type)), isAll: !hasMore });
    this.add(events);
  }

  override hear(heard: Heard): void {
    super.hear(heard);
    // What came since the types were read may lie beyond the page.
    for (const [type, { upTo }] of this.#read) this.#read.set(type, { upTo, isAll: false });
  }

  /** A wait has it: it is there for no other. */
  take(id: string): void {
    this.#taken.set(id, this.list.find((event) => event.id === id) ?? this.#taken.get(id) ?? null);
    this.list = this.list.filter((event) => event.id !== id);
  }

  /** What was taken is there again. */
  release(id: string): void {
    const event = this.#taken.get(id);
    this.#taken.delete(id);
    if (event !== undefined && event !== null) this.add([event]);
  }

  /** A commit has it: it will not be given back. */
  forget(id: string): void {
    this.#taken.set(id, null);
  }

  override sequenceFor(types: Iterable<string>): number {
    let known = Infinity;
    for (const type of types) known = Math.min(known, this.readAfter(type));
    return known === Infinity ? this.sequence : known;
  }

  protected override add(events: readonly EventRecord[]): void {
    super.add(events.filter(({ id }) => !this.#taken.has(id)));
  }
}

/** Those of a run whose code asks for one. */
export function eventsOf(known: KnownRun): KnownEvents {
  const { events } = known;
  if (events instanceof KnownEvents) return events;
  const { list, hasMore, sequence } = events;
  const waited = new KnownEvents({ events: list, hasMoreEvents: hasMore }, sequence);
  known.events = waited;
  return waited;
}
