/** Error records as they are made and stored. `error-record.ts` makes one from a thrown value. */
import { attempt } from "./attempt.ts";
import type { ErrorCode } from "./error-codes.ts";
import type { ErrorDetail, ErrorRecord, JsonText } from "./model/records.ts";

/** A record with only these fields: for one of the engine's own errors that nobody threw. */
export const createErrorRecord = (
  code: ErrorCode | null,
  { name, message }: { readonly name: string; readonly message: string },
): ErrorRecord => ({ name, message, code, details: null, stack: null, cause: null });

/** The text that a store keeps beside name and message; null if there is nothing to keep. */
export function toDetailText({ code, details, stack, cause }: ErrorRecord): JsonText | null {
  if (code === null && details === null && stack === null && cause === null) return null;
  return JSON.stringify({ code, details, stack, cause } satisfies ErrorDetail);
}

/** The record of a stored error: null without a name. */
export function fromDetailText(
  { name, message }: { readonly name: string | null; readonly message: string | null },
  text: JsonText | null,
): ErrorRecord | null {
  if (name === null) return null;
  const parsed = attempt(() => JSON.parse(text ?? "null") as Partial<ErrorRecord> | null, null);
  const detail = typeof parsed === "object" ? (parsed ?? {}) : {};
  const { code = null, details = null, stack = null, cause = null, failedStep } = detail;
  const record = { name, message: message ?? "", code, details, stack, cause };
  return failedStep === undefined ? record : { ...record, failedStep };
}
