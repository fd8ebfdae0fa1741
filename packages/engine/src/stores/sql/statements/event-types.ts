/** Whether a wait asks for a type of event: `asksFor` of core in SQL. */
import { filter } from "./planner-hints.ts";

/**
 * Condition on open waits `s`. The one type of most waits is compared as it stands; several are between commas, which no
 * type that can be sent has.
 *
 * @param type expression of the event's type
 */
export const asksForType = (type: string): string =>
  `s."waitEventType" is not null and ${filter(
    `s."waitEventType" = ${type} or ` +
      `replace(',' || s."waitEventType" || ',', ',' || ${type} || ',', '') <> ',' || s."waitEventType" || ','`,
  )}`;
