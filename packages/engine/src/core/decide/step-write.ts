/** Builds the next state of a step from what is known of it. */
import type { StepWrite } from "../model/change.ts";
import type { StepRecord } from "../model/records.ts";
import { carryOver, type StepPatch } from "../model/step-record.ts";
import type { StepType } from "../model/status.ts";

/** What a call of a step says of itself, whatever its type. */
export interface StepIdentity {
  /** Row id to use if the step has none yet. */
  readonly newId: string;
  readonly stepKey: string;
  readonly name: string;
  readonly type: StepType;
}

/**
 * The whole next state of a step: what its record says, with the patch applied. The instants of an earlier wait
 * (`nextRetry`) do not survive unless the patch gives them; the deadline of a wait (`wake`) does.
 */
export const toStepWrite = (
  identity: StepIdentity,
  record: StepRecord | null,
  patch: StepPatch,
): StepWrite => carryOver(identity, record, patch);
