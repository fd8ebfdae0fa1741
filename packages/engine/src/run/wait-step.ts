/** Parses the arguments of `step.waitForEvent`. Its decision is in `event-wait.ts`. */
import { toLimits } from "../core/default-limits.ts";
import type { WaitForEventOptions } from "../authoring/events.ts";
import type { StepIdentity } from "../core/model/step-record.ts";
import type { WaitForEventCommand } from "../core/decide/wait-for-event.ts";
import { parseDuration } from "../core/duration.ts";
import { WorkflowError } from "../core/errors.ts";
import { parseEventType } from "../core/event-type.ts";
import type { DurationMs } from "../core/model/records.ts";
import { Refusal } from "./refusal.ts";
import type { Session } from "./session-interface.ts";

/** @throws {WorkflowError} INVALID_DURATION, INVALID_EVENT_TYPE */
export function toWaitCommand(
  session: Session,
  options: WaitForEventOptions,
): Omit<WaitForEventCommand, keyof StepIdentity> {
  if (typeof options !== "object")
    throw new WorkflowError(
      "INVALID_EVENT_TYPE",
      'step.waitForEvent takes a name and then options: { type: "paid" }',
    );
  return {
    eventType: parseEventType(options.type, toLimits(session.context.limits)),
    timeoutMs: toTimeoutMs(session, options.timeout),
    since: options.since ?? "run",
  };
}

/** @throws {WorkflowError} INVALID_DURATION */
export function toTimeoutMs(
  { context }: Session,
  timeout: WaitForEventOptions["timeout"],
): DurationMs {
  const timeoutMs =
    timeout === undefined
      ? toLimits(context.limits).defaultEventTimeoutMs
      : parseDuration(timeout, "timeout");
  const { minEventTimeoutMs: min, maxEventTimeoutMs: max } = toLimits(context.limits);
  if (timeoutMs < min || timeoutMs > max)
    throw new Refusal((texts) => texts.timeoutOutside(timeoutMs, min, max));
  return timeoutMs;
}
