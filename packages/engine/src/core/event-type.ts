/** The type of an event, checked. */
import { type Limits, parseId } from "./limits.ts";

/** @throws {WorkflowError} INVALID_EVENT_TYPE */
export function parseEventType(type: unknown, limits: Limits): string {
  return parseId(type, {
    code: "INVALID_EVENT_TYPE",
    what: "event type",
    maxLength: limits.maxEventTypeLength,
  });
}
