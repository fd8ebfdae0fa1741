/** What a call demands of the instance that it is for. */
import { formatUuid, hash } from "../hash.ts";
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

interface Keyed {
  readonly controlKey: string | null;
}

/** Whether the last command with a key was this one. */
export const isRepeated = (before: Keyed, { controlKey }: Keyed): boolean =>
  controlKey !== null && before.controlKey === controlKey;

/**
 * The control key of a command that has inputs, from its name and the caller's key, which contain no space: both, and a digest of
 * the inputs.
 */
export const toControlKey = (
  nameAndKey: string | null,
  inputs: readonly unknown[],
): string | null =>
  nameAndKey && `${nameAndKey} ${formatUuid(hash(JSON.stringify(inputs.map(toGiven))))}`;

/** An absent input is not the same as null. */
const toGiven = (input: unknown): readonly unknown[] => (input === undefined ? [] : [input]);

/** The control key without the digest: what a repetition is recognised by. */
export const withoutInputs = (controlKey: string | null): string | null =>
  controlKey && controlKey.split(" ", 2).join(" ");

/**
 * Compares a command that has inputs with the last one that had a key. `keyConflict`: it was this command with this key, and
 * other inputs. null: it was another command. A key that an earlier version stored has no digest, and matches all inputs.
 */
export function repetitionOf(before: Keyed, asked: Keyed): "repeated" | "keyConflict" | null {
  const nameAndKey = withoutInputs(asked.controlKey);
  if (nameAndKey === null || withoutInputs(before.controlKey) !== nameAndKey) return null;
  const isSame = before.controlKey === asked.controlKey || before.controlKey === nameAndKey;
  return isSame ? "repeated" : "keyConflict";
}
