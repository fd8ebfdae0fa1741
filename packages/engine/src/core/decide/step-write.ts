/** Builds the next state of a step from what is known of it. */
import type { StepWrite } from "../model/change.ts";
import type { EpochMs, StepRecord } from "../model/records.ts";
import { carryOver } from "../model/step-record.ts";
import type { StepType } from "../model/status.ts";

/** What a call of a step says of itself, whatever its type. */
export interface StepIdentity {
  /** Row id to use if the step has none yet. */
  readonly newId: string;
  readonly stepKey: string;
  readonly name: string;
  readonly type: StepType;
}

/** What differs between the states of a step; the rest is carried over. */
export type StepPatch = Pick<StepWrite, "status"> &
  Partial<Omit<StepWrite, "id" | "stepKey" | "name" | "type">>;

/**
 * The whole next state of a step: what its record says, with the patch applied. The instants of an earlier wait
 * (`nextRetry`) do not survive unless the patch gives them; the deadline of a wait (`wake`) does.
 */
export function toStepWrite(
  identity: StepIdentity,
  record: StepRecord | null,
  patch: StepPatch,
): StepWrite {
  return {
    ...carryOver(record),
    id: record?.id ?? identity.newId,
    stepKey: identity.stepKey,
    name: identity.name,
    type: identity.type,
    nextRetry: null,
    wake: recordedWake(record),
    ...patch,
  };
}

/** The instant that a step once recorded keeps, whatever the code says now; null: it has none. */
export const recordedWake = (record: StepRecord | null): { readonly at: EpochMs } | null =>
  record === null || record.wakeAt === null ? null : { at: record.wakeAt };
