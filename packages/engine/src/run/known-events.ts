/**
 * The events of a run that its session knows of. Nearly always those are all: a run that holds more than a page comes
 * with the oldest ones, and what its waits look for beyond them is read by type, when a wait asks for it.
 */
import type { EventRecord } from "../core/model/records.ts";
import type { EventPage } from "../ports/run-pages.ts";

/** What a claim or a commit tells of events. */
interface Heard {
  readonly events: readonly EventRecord[];
  readonly hasMoreEvents: boolean;
}

export class KnownEvents {
  #list: readonly EventRecord[];
  /** Events of any type up to here are known. */
  #upTo: number;
  /** There are, or were, others above. */
  #hasMore: boolean;
  /** By type, up to where its events are known, and whether that was all that there were. */
  #read: Map<string, { readonly upTo: number; readonly isAll: boolean }> | null = null;
  /** By id; null: it was not known. */
  #taken: Map<string, EventRecord | null> | null = null;

  constructor({ events, hasMoreEvents }: Heard) {
    this.#list = events;
    this.#upTo = events.at(-1)?.sequence ?? 0;
    this.#hasMore = hasMoreEvents;
  }

  /** Unconsumed events, oldest first. */
  get list(): readonly EventRecord[] {
    return this.#list;
  }

  /** An event of the types may be there that nobody has read: a wait that finds none is not decided yet. */
  isUnread(...types: readonly string[]): boolean {
    return this.#hasMore && types.some((type) => this.#read?.get(type)?.isAll !== true);
  }

  /** Where reading the type goes on. */
  readAfter(type: string): number {
    return Math.max(this.#upTo, this.#read?.get(type)?.upTo ?? 0);
  }

  /** A page of these types was read, from `sequenceFor` them on. */
  read(types: readonly string[], { events, upTo, hasMore }: EventPage): void {
    this.#read ??= new Map();
    for (const type of types)
      this.#read.set(type, { upTo: Math.max(upTo, this.readAfter(type)), isAll: !hasMore });
    this.#add(events);
  }

  /** A commit that reads events was answered: a page of any types above `sequence`. */
  hear({ events, hasMoreEvents }: Heard): void {
    this.#add(events);
    this.#upTo = Math.max(this.#upTo, events.at(-1)?.sequence ?? 0);
    this.#hasMore = hasMoreEvents;
    // What came since the types were read may lie beyond the page.
    for (const [type, { upTo }] of this.#read ?? []) this.#read?.set(type, { upTo, isAll: false });
  }

  /** A wait has it: it is there for no other. */
  take(id: string): void {
    this.#taken ??= new Map();
    this.#taken.set(id, this.#list.find((event) => event.id === id) ?? this.#taken.get(id) ?? null);
    this.#list = this.#list.filter((event) => event.id !== id);
  }

  /** What was taken is there again. */
  release(id: string): void {
    const event = this.#taken?.get(id);
    this.#taken?.delete(id);
    if (event !== undefined && event !== null) this.#add([event]);
  }

  /** A commit has it: it will not be given back. */
  forget(id: string): void {
    (this.#taken ??= new Map()).set(id, null);
  }

  /** Up to where all events are known that waits of these types could take. */
  sequenceFor(types: Iterable<string>): number {
    let known = Infinity;
    for (const type of types) known = Math.min(known, this.readAfter(type));
    return known === Infinity ? this.#upTo : known;
  }

  /** Up to where all events are known, of whatever type. */
  get sequence(): number {
    return this.#upTo;
  }

  #add(events: readonly EventRecord[]): void {
    const known = new Set(this.#list.map(({ id }) => id));
    const fresh = events.filter(({ id }) => !known.has(id) && this.#taken?.has(id) !== true);
    if (fresh.length === 0) return;
    this.#list = [...this.#list, ...fresh].toSorted((a, b) => a.sequence - b.sequence);
  }
}
