/** Reads the events of a run of some types. */
import type { Dialect } from "@escapement/db/client";
import { eventPageOfOne } from "./event-page.ts";
import { isOfInstance } from "./lock.ts";
import { EVENT } from "./tables.ts";

const isUndelivered = (dialect: Dialect): string =>
  `${isOfInstance(dialect, "e")} and e."runNumber" = ${dialect.param(3)} and e."deliveredAt" is null`;

/** Parameters: workflow, instance, run number. Comes before `loadEvents`, which then finds every event up to this one. */
export const lastEvent = (dialect: Dialect): string =>
  `select max(e."_internalId") as "last" from ${EVENT} as e where ${isUndelivered(dialect)}`;

/** Parameters: workflow, instance, run number, event types, sequence after which to begin. Oldest first. */
export const loadEvents = (dialect: Dialect): string => {
  const { item, isIn, columns } = eventPageOfOne(
    dialect,
    `${EVENT} as e where ${isUndelivered(dialect)} and e."_internalId" > ${dialect.param(5)} and e."type" in ` +
      `(select w."name" from ${dialect.jsonRows(dialect.param(4), "w", [{ name: "name", type: "text" }])})`,
  );
  return `select ${columns} from ${item} where ${isIn} order by p."rank"`;
};
