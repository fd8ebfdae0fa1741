/** Stores the event that ends a callback's wait, after the same locks as for any other event. Loaded with the first one. */
import type { Dialect } from "@escapement/db/client";
import { isInstance, isOfInstance } from "./lock.ts";
import { insertEvent } from "./send-event.ts";
import { EVENT, INSTANCE, sameRun, STEP, UNIQUE_STEP } from "./tables.ts";

/**
 * Condition: the wait's own row still takes an event. If there is no row, the run has not come to the wait yet.
 *
 * @param at the positions of the run number and the step key
 */
const isOpen = (dialect: Dialect, at: { readonly run: number; readonly key: number }): string =>
  `i."runNumber" = ${dialect.param(at.run)} and i."status" not in ('complete', 'errored', 'terminated') ` +
  `and not exists (select 1 from ${STEP} as s${dialect.byIndex(UNIQUE_STEP)} where ${sameRun("s", "i")} ` +
  `and s."stepKey" = ${dialect.param(at.key)} and (s."status" <> 'waiting' or s."wakeAt" <= ${dialect.clock}))`;

/** Parameters: as `insertEvent`, then run number and step key. */
export const insertCallback = (dialect: Dialect): string =>
  insertEvent(dialect, `and ${isOpen(dialect, { run: 11, key: 12 })} `);

/**
 * Parameters: workflow, instance, event row id, run number, step key, event id. Rows: a `FoundCallbackRow`, if the instance exists.
 */
export const findCallback = (dialect: Dialect): string =>
  `select case when e."id" is null then null when e."id" = ${dialect.param(3)} then 1 else 0 end as "isMine", ` +
  `case when e."deliveredAt" is null then 0 else 1 end as "isDelivered", ` +
  `case when ${isOpen(dialect, { run: 4, key: 5 })} then 1 else 0 end as "isOpen" from ${INSTANCE} as i ` +
  `${dialect.leftJoinEach(
    EVENT,
    "e",
    `${isOfInstance(dialect, "e")} and e."runNumber" = ${dialect.param(4)} and e."eventId" = ${dialect.param(6)}`,
  )} where ${isInstance(dialect, "i")}`;

/** Parameters: workflow, instance, run number, keys as rows of JSON. Rows: the scopes of these keys, as `ScopeRow`. */
export const findScopes = (dialect: Dialect): string =>
  `select s."stepKey", s."type", s."settledOrder", substr(s."result", 1, 40) as "result" ` +
  `from ${dialect.jsonRows(dialect.param(4), "k", [{ name: "stepKey", type: "text" }])} ` +
  dialect.joinEach(
    STEP,
    "s",
    `${isOfInstance(dialect, "s")} and s."runNumber" = ${dialect.param(3)} and s."stepKey" = k."stepKey"`,
    UNIQUE_STEP,
  );
