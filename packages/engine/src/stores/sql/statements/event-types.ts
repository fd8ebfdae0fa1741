/** Whether a wait waits for a type of event: `asksFor` of core in SQL. */
import { filter } from "./planner-hints.ts";

/**
 * Condition on open waits `s`. The single type of most waits is compared directly. Several types are separated by commas, which
 * no type can contain.
 *
 * @param type expression of the event's type
 */
export const asksForType = (type: string): string =>
  `s."waitEventType" is not null and ${filter(
    `s."waitEventType" = ${type} or ` +
      `replace(',' || s."waitEventType" || ',', ',' || ${type} || ',', '') <> ',' || s."waitEventType" || ','`,
  )}`;
