/** Servers that tests migrate. */
import type { MigrateResult } from "./migrate.ts";
import { SCHEMA_VERSION } from "./migrations/generated.ts";

/** Whether this process found an empty database and made the tables; the others were overtaken. */
export const isFirst = (result: unknown): boolean =>
  (result as MigrateResult).fromVersion === 0 &&
  (result as MigrateResult).toVersion === SCHEMA_VERSION;
