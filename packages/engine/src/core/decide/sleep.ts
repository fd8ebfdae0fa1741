/** Decides what a call of `step.sleep` or `step.sleepUntil` does. */
import type { StepWrite, When } from "../model/change.ts";
import type { EpochMs, StepRecord } from "../model/records.ts";
import { recordedWake, type StepIdentity, toStepWrite } from "../model/step-record.ts";

export interface SleepCommand extends StepIdentity {
  readonly wake: When;
}

/**
 * `over`: the sleep has ended; `step` records it, and `at` is when it ended, or null for just now. `wait`: park; `step` is null if it
 * is recorded already.
 */
export type SleepDecision =
  | { readonly kind: "over"; readonly step: StepWrite; readonly at: EpochMs | null }
  | { readonly kind: "wait"; readonly wake: When; readonly step: StepWrite | null };

/** @source founding spec 000 §6.2 */
export function decideSleep(
  record: StepRecord | null,
  command: SleepCommand,
  now: EpochMs,
): SleepDecision {
  const wake: When = recordedWake(record) ?? command.wake;
  const isOver = "at" in wake ? wake.at <= now : wake.inMs <= 0;
  if (isOver) {
    const step = toStepWrite(command, record, { status: "completed", wake });
    return { kind: "over", step, at: record === null ? null : record.wakeAt };
  }
  const step = record === null ? toStepWrite(command, null, { status: "waiting", wake }) : null;
  return { kind: "wait", wake, step };
}
