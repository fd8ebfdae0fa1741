/** Errors made of their records again: what author code finds after a replay. */
import { isErrorCode } from "./error-codes.ts";
import { WorkflowError } from "./errors.ts";
import type { ErrorRecord } from "./model/records.ts";

/** Code and details of an error that Escapement made; null for anybody else's. */
export function ownCode({
  code,
  details,
}: ErrorRecord): Pick<WorkflowError, "code" | "details"> | null {
  return code !== null && isErrorCode(code) ? { code, details: details ?? {} } : null;
}

/** An error made of its record: name, message, code, details, stack, cause, and the fields that it had of its own. */
export function rebuildError(record: ErrorRecord): Error {
  const { name, message, code, details, stack } = record;
  const cause = record.cause === null ? undefined : rebuildError(record.cause);
  const own = ownCode(record);
  const error =
    own === null
      ? Object.assign(
          // A copy of the author's error, not one of ours: it has no code to give.
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

/** Without those that an error has anyway, or that would change what it is. */
const fieldsOf = (details: ErrorRecord["details"]): object =>
  Object.fromEntries(
    Object.entries(details ?? {}).filter(([key]) => !(key in Error.prototype) && key !== "cause"),
  );
