/** A page of a run's undelivered events. */
import { utf8Size } from "../../core/plain-codec.ts";
import type { EventRecord, RunRef } from "../../core/model/records.ts";
import { EVENT_PAGE, type EventPage, type LoadEventsRequest } from "../../ports/run-pages.ts";
import { type CallBudget, newCallBudget } from "./call-budget.ts";
import { type MemoryEvent, type MemoryState, runKey, toEventRecord } from "./state.ts";

interface RunEvents {
  readonly events: readonly EventRecord[];
  readonly hasMore: boolean;
}

/** The oldest undelivered events above a sequence, within the bounds. */
export function pageOfEvents(
  state: MemoryState,
  run: RunRef & { readonly afterSequence: number; readonly types?: readonly string[] },
  budget: CallBudget = newCallBudget(),
): RunEvents {
  const held = (state.events.get(runKey(run)) ?? []).filter(
    (event) =>
      event.deliveredAt === null &&
      event.sequence > run.afterSequence &&
      (run.types === undefined || run.types.includes(event.type)),
  );
  let bytes = 0;
  const shown = held.slice(0, EVENT_PAGE.rows).findIndex((event, index) => {
    const size = event.payload === null ? 0 : utf8Size(event.payload);
    bytes += size;
    const isTooMuch = (index > 0 && bytes > EVENT_PAGE.bytesOfRun) || size > budget.eventBytes;
    if (!isTooMuch) budget.eventBytes -= size;
    return isTooMuch;
  });
  const events = held.slice(0, shown === -1 ? EVENT_PAGE.rows : shown).map(toOpenEvent);
  return { events, hasMore: held.length > events.length };
}

/** With its trace context, as in claims. */
function toOpenEvent(event: MemoryEvent): EventRecord {
  const { traceContext } = event;
  const record = toEventRecord(event);
  return traceContext === undefined ? record : { ...record, traceContext };
}

export function loadEvents(state: MemoryState, request: LoadEventsRequest): EventPage {
  const { events, hasMore } = pageOfEvents(state, request);
  const { afterSequence } = request;
  const end = hasMore ? events.at(-1)?.sequence : state.sequence;
  return { events, hasMore, upTo: Math.max(afterSequence, end ?? 0) };
}
