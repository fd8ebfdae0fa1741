/** The key that a step hands to services outside, so that they do its work once. */
import type { InstanceRef } from "./model/instance-key.ts";

/** Whose steps a key is for. */
export interface KeyedRun {
  readonly run: InstanceRef;
  /** Stands for the run: the same after a restart that keeps keys, another after one that does not and after a rewind. */
  readonly keyNumber: number;
}

/**
 * The same for every attempt of a step in a run and after a restart, and different for any two of namespace, workflow,
 * instance, key number and step: the first segment holds namespace and workflow with `:` and `/` escaped, ids and numbers
 * have neither, and the step's key is the rest.
 *
 * @param namespace tells databases apart that use the same services; empty: none
 */
export function toIdempotencyKey(
  namespace: string,
  { run, keyNumber }: KeyedRun,
  stepKey: string,
): string {
  const prefix = namespace === "" ? "" : `${encodeURIComponent(namespace)}:`;
  const workflow = encodeURIComponent(run.workflowName);
  return `${prefix}${workflow}/${run.instanceId}/${keyNumber}/${stepKey}`;
}
