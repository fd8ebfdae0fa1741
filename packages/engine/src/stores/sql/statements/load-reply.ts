/** Reads the reply to an event, by the sender's own id. */
import type { Dialect } from "@escapement/db/client";
import { isInstance, isOfInstance } from "./lock.ts";
import { EVENT, INSTANCE } from "./tables.ts";

/** Parameters: workflow, instance, event id, run number or null. Rows: a `ReplyRow`, if the instance exists. */
export const loadReply = (dialect: Dialect): string =>
  `select i."status", i."runNumber", e."runNumber" as "eventRunNumber", e."reply" from ${INSTANCE} as i ` +
  `${dialect.leftJoinEach(
    EVENT,
    "e",
    `${isOfInstance(dialect, "e")} and e."runNumber" = coalesce(${dialect.param(4)}, i."runNumber") ` +
      `and e."eventId" = ${dialect.param(3)}`,
  )} where ${isInstance(dialect, "i")}`;
