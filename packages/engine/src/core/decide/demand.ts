/** What a call demands of the instance that it is for. */
import type { InstanceRecord } from "../model/records.ts";
import type { InstanceStatusName } from "../model/status.ts";

/** Conditions of a call: it changes nothing unless they hold. */
export interface Conditions {
  /** The number of the instance's current run; null: any. */
  readonly ifRunNumber: number | null;
  /** The statuses that it may have; null: any. */
  readonly ifStatus: readonly InstanceStatusName[] | null;
}

/** Which condition an instance does not meet; null: it meets them. */
export function mismatchOf(
  { runNumber, status }: Pick<InstanceRecord, "runNumber" | "status">,
  { ifRunNumber, ifStatus }: Conditions,
): "runNumberMismatch" | "statusMismatch" | null {
  if (ifRunNumber !== null && ifRunNumber !== runNumber) return "runNumberMismatch";
  return ifStatus?.includes(status) === false ? "statusMismatch" : null;
}

/** Whether the last command with a key was this one. */
export const isRepeated = (
  before: { readonly controlKey: string | null },
  { controlKey }: { readonly controlKey: string | null },
): boolean => controlKey !== null && before.controlKey === controlKey;
