/** Reads events beyond those that came with the claim. Loaded when a run first has more than a page. */
import { toLogFields } from "../core/errors.ts";
import type { Session } from "./session-interface.ts";
import { eventsOf } from "./known-events.ts";

/** Reads the next page of some types. One trip. @returns false if the database did not answer */
export async function readEvents(
  { context, claimed, known }: Session,
  types: readonly string[],
): Promise<boolean> {
  const events = eventsOf(known);
  try {
    const afterSequence = events.sequenceFor(types);
    const page = await context.store.loadEvents({ ...claimed.run, types, afterSequence });
    events.read(types, page);
    return true;
  } catch (error) {
    context.logger.log("warn", "events.unread", { ...claimed.run, ...toLogFields(error) });
    return false;
  }
}
