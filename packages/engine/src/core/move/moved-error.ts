/** What an instance says that goes on in another store. */
import { createErrorRecord } from "../stored-error.ts";
import type { ErrorRecord } from "../model/records.ts";

/** Of the instance that stays behind. */
export const toMovedError = (): ErrorRecord =>
  createErrorRecord(null, {
    name: "InstanceMoved",
    message: "the instance was exported and goes on in another store",
  });
