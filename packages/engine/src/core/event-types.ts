/** The event types that a wait asks for, as one text in the wait's row. */

/** The largest number of types that one wait can ask for. */
export const MAX_WAIT_TYPES = 16;

/** @param types that `parseEventType` has accepted, so without commas; the order does not matter */
export const toWaitTypes = (types: readonly string[]): string =>
  [...new Set(types)].toSorted().join(",");

/** Splits `StepRecord.waitEventType` into types. A callback's type contains a space and is always a single one. */
export const fromWaitTypes = (text: string): readonly string[] =>
  text.includes(" ") ? [text] : text.split(",");

/** Whether a wait for these types accepts an event. */
export const asksFor = (waitEventType: string | null, eventType: string): boolean =>
  waitEventType === eventType ||
  (waitEventType !== null && fromWaitTypes(waitEventType).includes(eventType));
