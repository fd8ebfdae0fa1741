/** An event as a wait's result has it, and as authors see it. */
import type { EventData } from "../authoring/events.ts";

/** The stored result of a wait, or one of those of a `receive`. */
export interface StoredEvent {
  /** Absent from what earlier versions have stored. */
  readonly id?: string;
  readonly eventId?: string;
  readonly type: string;
  readonly createdAt: number;
  readonly payload?: unknown;
}

/** An event as authors see it. @param value a `StoredEvent` */
export function toEventData(value: unknown): EventData<unknown> {
  const { type, payload, createdAt, eventId } = value as StoredEvent;
  return {
    type,
    payload: payload as Readonly<unknown>,
    timestamp: new Date(createdAt),
    ...(eventId === undefined ? {} : { eventId }),
  };
}
