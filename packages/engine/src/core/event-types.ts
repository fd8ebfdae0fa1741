/** The types of events that a wait asks for, as the one text that its row has. */

/** Most types that one wait asks for. */
export const MAX_WAIT_TYPES = 16;

/** @param types as `parseEventType` passes them: without commas. In whatever order they come, it is the same text */
export const toWaitTypes = (types: readonly string[]): string =>
  [...new Set(types)].toSorted().join(",");

/** The types of `StepRecord.waitEventType`. A callback's type has a space, and is one whatever else it has. */
export const fromWaitTypes = (text: string): readonly string[] =>
  text.includes(" ") ? [text] : text.split(",");

/** Whether a wait of these types asks for an event. */
export const asksFor = (waitEventType: string | null, eventType: string): boolean =>
  waitEventType === eventType ||
  (waitEventType !== null && fromWaitTypes(waitEventType).includes(eventType));
