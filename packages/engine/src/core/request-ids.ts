/** Ids and keys from callers. Separate from `limits.ts`, because ticks do not need them. */
import { WorkflowError } from "./errors.ts";
import { type Limits, parseId } from "./limits.ts";
import { showValue } from "./show-value.ts";

/** @throws {WorkflowError} INVALID_INSTANCE_ID */
export function parseInstanceId(id: unknown, limits: Limits): string {
  return parseId(id, {
    code: "INVALID_INSTANCE_ID",
    what: "instance id",
    maxLength: limits.maxInstanceIdLength,
  });
}

/** The longest idempotency key or event id. Other services have the same limit. */
const MAX_KEY_LENGTH = 255;

const PRINTABLE_ASCII = /^[\u0021-\u007E]+$/u;

/**
 * An idempotency key, or an event's id.
 *
 * @throws {WorkflowError} INVALID_IDEMPOTENCY_KEY
 */
export function parseIdempotencyKey(key: unknown): string {
  if (typeof key === "string" && key.length <= MAX_KEY_LENGTH && PRINTABLE_ASCII.test(key))
    return key;
  throw new WorkflowError(
    "INVALID_IDEMPOTENCY_KEY",
    `idempotency key ${showValue(key)} is invalid; expected 1 to ${MAX_KEY_LENGTH} printable ASCII characters`,
    { maxLength: MAX_KEY_LENGTH },
  );
}
