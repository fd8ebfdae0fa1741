/** Rebuilds errors from their records, for author code in a replay. */
import { isErrorCode } from "./error-codes.ts";
import { WorkflowError } from "./errors.ts";
import type { ErrorRecord } from "./model/records.ts";

/** The code and details of an error that Escapement made; null for any other error. */
export function ownCode({
  code,
  details,
}: ErrorRecord): Pick<WorkflowError, "code" | "details"> | null {
  return code !== null && isErrorCode(code) ? { code, details: details ?? {} } : null;
}

/** An error rebuilt from its record: name, message, code, details, stack, cause, and its own fields. */
export function rebuildError(record: ErrorRecord): Error {
  const { name, message, code, details, stack } = record;
  const cause = record.cause === null ? undefined : rebuildError(record.cause);
  const own = ownCode(record);
  const error =
    own === null
      ? Object.assign(
          // A copy of the author's error. It is not one of ours, so it has no code.
          Error(message, cause === undefined ? undefined : { cause }),
          fieldsOf(details),
          code === null ? {} : { code },
          details === null ? {} : { details },
        )
      : new WorkflowError(own.code, message, own.details, cause);
  error.name = name;
  error.stack = stack ?? `${name}: ${message}`;
  return error;
}

/** Without fields that every error has, or that would change what it is. */
const fieldsOf = (details: ErrorRecord["details"]): object =>
  Object.fromEntries(
    Object.entries(details ?? {}).filter(([key]) => !(key in Error.prototype) && key !== "cause"),
  );
