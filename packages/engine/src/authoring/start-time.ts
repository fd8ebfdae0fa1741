/** Parses times that callers give, such as `startAt` or `delay` of a create. */
import { parseDuration, type WorkflowDuration } from "../core/duration.ts";
import { WorkflowError } from "../core/errors.ts";
import { invalidField } from "../core/invalid-field.ts";
import type { Limits } from "../core/limits.ts";
import type { When } from "../core/model/change.ts";
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import { showValue } from "../core/show-value.ts";
import type { CreateInstanceInput } from "../ports/create-inputs.ts";

/**
 * Parses when the run is to start. The database's clock decides when that is. The process's clock only serves to refuse
 * implausible values, such as seconds or microseconds instead of milliseconds.
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
  const given = { delay: ["delay", delay], instant: ["startAt", startAt] } as const;
  const when = parseWhen(given, maxSleepMs, now);
  return when !== null && "inMs" in when && when.inMs === 0 ? null : when;
}

/** Two options, of which one may give a time, with their names. */
interface GivenTime {
  readonly delay: readonly [what: string, value: WorkflowDuration | undefined];
  readonly instant: readonly [what: string, value: Date | EpochMs | undefined];
}

/** @returns null: none is given @throws {WorkflowError} INVALID_DURATION */
export function parseWhen(
  { delay: [delayName, delay], instant: [instantName, instant] }: GivenTime,
  maxMs: DurationMs,
  now: EpochMs,
): When | null {
  if (delay !== undefined) {
    const inMs = parseDuration(delay, delayName);
    assertNear(delayName, inMs, maxMs);
    return { inMs };
  }
  if (instant === undefined) return null;
  const at = parseInstant(instantName, instant);
  assertNear(instantName, at - now, maxMs);
  return { at };
}

function parseInstant(what: string, instant: Date | EpochMs): EpochMs {
  const at = instant instanceof Date ? instant.getTime() : instant;
  if (Number.isFinite(at)) return Math.max(0, Math.round(at));
  const shown = showValue(instant);
  throw new WorkflowError(
    "INVALID_DURATION",
    `${what} is ${shown}; expected a valid Date or epoch milliseconds`,
    { what, [what]: shown },
  );
}

function assertNear(what: string, aheadMs: DurationMs, maxMs: DurationMs): void {
  if (aheadMs <= maxMs) return;
  throw new WorkflowError(
    "INVALID_DURATION",
    `${what} is ${aheadMs} ms in the future, more than the limit of ${maxMs} ms`,
    { what, aheadMs, maxSleepMs: maxMs },
  );
}
