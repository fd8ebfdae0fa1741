/** `startAt` and `delay` of a create. */
import { parseDuration } from "../core/duration.ts";
import { toErrorRecord } from "../core/error-record.ts";
import { WorkflowError } from "../core/errors.ts";
import type { Limits } from "../core/limits.ts";
import type { When } from "../core/model/change.ts";
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { CreateInstanceInput } from "../ports/service.ts";
import { invalidField } from "./fields.ts";

/**
 * When the run is to start. The database's clock says when that is; this process's only keeps instants out that are no
 * instants, as seconds or microseconds.
 *
 * @param now by the process clock
 * @returns null: at once
 * @throws {WorkflowError} INVALID_DURATION, INVALID_REQUEST
 */
export function parseStart(
  { startAt, delay }: Pick<CreateInstanceInput, "startAt" | "delay">,
  { maxSleepMs }: Limits,
  now: EpochMs,
): When | null {
  if (startAt !== undefined && delay !== undefined)
    throw invalidField("delay", "startAt or delay, not both");
  if (delay !== undefined) {
    const inMs = parseDuration(delay, "delay");
    assertNear("delay", inMs, maxSleepMs);
    return inMs === 0 ? null : { inMs };
  }
  if (startAt === undefined) return null;
  const at = parseInstant(startAt);
  assertNear("startAt", at - now, maxSleepMs);
  return { at };
}

function parseInstant(startAt: Date | EpochMs): EpochMs {
  const at = startAt instanceof Date ? startAt.getTime() : startAt;
  if (Number.isFinite(at)) return Math.max(0, Math.round(at));
  const { message } = toErrorRecord(startAt);
  throw new WorkflowError(
    "INVALID_DURATION",
    `startAt is ${message}; expected a valid Date or epoch milliseconds`,
    { what: "startAt", startAt: message },
  );
}

function assertNear(what: string, aheadMs: DurationMs, maxSleepMs: DurationMs): void {
  if (aheadMs <= maxSleepMs) return;
  throw new WorkflowError(
    "INVALID_DURATION",
    `${what} is ${aheadMs} ms ahead, more than the limit of ${maxSleepMs} ms`,
    { what, aheadMs, maxSleepMs },
  );
}
