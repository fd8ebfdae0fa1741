/** Reads an instance, and the database's time. */
import type { Dialect } from "@escapement/db/client";
import { isInstance } from "./lock.ts";
import { INSTANCE, instanceColumns } from "./tables.ts";

/** Parameters: workflow, instance. */
export const loadInstance = (dialect: Dialect): string =>
  `select ${instanceColumns(dialect, "i")} from ${INSTANCE} as i where ${isInstance(dialect, "i")}`;

/** No parameters. */
export const selectNow = (dialect: Dialect): string => `select ${dialect.nowMs} as "now"`;
