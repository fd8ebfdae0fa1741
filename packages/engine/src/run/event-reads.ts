/** Reads of events beyond those that came with the claim; needed only where a run holds more than a page. */
import type { RunRef } from "../core/model/records.ts";
import { toLogFields } from "../core/errors.ts";
import type { RunContext } from "./context.ts";
import type { KnownEvents } from "./known-events.ts";

export class EventReads {
  readonly #context: RunContext;
  readonly #run: RunRef;
  readonly #events: KnownEvents;
  #inFlight = 0;

  constructor(context: RunContext, run: RunRef, events: KnownEvents) {
    this.#context = context;
    this.#run = run;
    this.#events = events;
  }

  /** A wait is not decided yet: the run may neither park nor end on what is known. */
  get isReading(): boolean {
    return this.#inFlight > 0;
  }

  /** Makes the next page of some types known. One trip. @returns false when the database did not answer */
  async read(types: readonly string[]): Promise<boolean> {
    const { store, logger } = this.#context;
    this.#inFlight += 1;
    try {
      const afterSequence = this.#events.sequenceFor(types);
      const page = await store.loadEvents({ ...this.#run, types, afterSequence });
      this.#events.read(types, page);
      return true;
    } catch (error) {
      logger.log("warn", "events.unread", { ...this.#run, ...toLogFields(error) });
      return false;
    } finally {
      this.#inFlight -= 1;
    }
  }
}
