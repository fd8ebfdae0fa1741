/** An event as a wait's stored result, and as authors see it. */
import type { EventData } from "../authoring/events.ts";

/** The stored result of a wait, or one event in the result of a `receive`. */
export interface StoredEvent {
  /** Absent in results that earlier versions stored. */
  readonly id?: string;
  readonly eventId?: string;
  readonly type: string;
  readonly createdAt: number;
  readonly payload?: unknown;
}

/** Turns a stored event into what authors see. @param value a `StoredEvent` */
export function toEventData(value: unknown): EventData<unknown> {
  const { type, payload, createdAt, eventId } = value as StoredEvent;
  return {
    type,
    payload,
    timestamp: new Date(createdAt),
    ...(eventId === undefined ? {} : { eventId }),
  };
}
