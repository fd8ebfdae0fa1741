/** The error of an instance that continues in another store. */
import { createErrorRecord } from "../stored-error.ts";
import type { ErrorRecord } from "../model/records.ts";

/** The error of the instance that stays behind. */
export const toMovedError = (): ErrorRecord =>
  createErrorRecord(null, {
    name: "InstanceMoved",
    message: "the instance was exported and goes on in another store",
  });
