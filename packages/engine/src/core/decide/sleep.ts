/** What a call of `step.sleep` or `step.sleepUntil` means. */
import type { StepWrite, When } from "../model/change.ts";
import type { EpochMs, StepRecord } from "../model/records.ts";
import { type StepIdentity, toStepWrite } from "./step-write.ts";

export interface SleepCommand extends StepIdentity {
  readonly wake: When;
}

/**
 * `settled`: history has it. `over`: the time has come; `step` records it, `at` is when it came, null for a moment ago.
 * `wait`: park; `step` is null if recorded.
 */
export type SleepDecision =
  | { readonly kind: "settled" }
  | { readonly kind: "over"; readonly step: StepWrite; readonly at: EpochMs | null }
  | { readonly kind: "wait"; readonly wake: When; readonly step: StepWrite | null };

/** A sleep once recorded keeps its wake time, whatever the code says now. @source founding spec 000 §6.2 */
export function decideSleep(
  record: StepRecord | null,
  command: SleepCommand,
  now: EpochMs,
): SleepDecision {
  if (record?.status === "completed" || record?.status === "errored") return { kind: "settled" };
  const wake: When =
    record === null || record.wakeAt === null ? command.wake : { at: record.wakeAt };
  const isOver = "at" in wake ? wake.at <= now : wake.inMs <= 0;
  if (isOver) {
    const step = toStepWrite(command, record, { status: "completed", wake });
    return { kind: "over", step, at: record === null ? null : record.wakeAt };
  }
  if (record !== null) return { kind: "wait", wake, step: null };
  return { kind: "wait", wake, step: toStepWrite(command, null, { status: "waiting", wake }) };
}
