/** The key that a step hands to services outside, so that they do its work once. */
import type { RunRef } from "./model/records.ts";

/**
 * The same for every attempt of a step in a run, another after a restart, and different for any two of namespace,
 * workflow, instance, run and step: the first segment holds namespace and workflow with `:` and `/` escaped, ids and run
 * numbers have neither, and the step's key is the rest.
 *
 * @param namespace tells databases apart that use the same services; empty: none
 */
export function toIdempotencyKey(namespace: string, run: RunRef, stepKey: string): string {
  const prefix = namespace === "" ? "" : `${encodeURIComponent(namespace)}:`;
  const workflow = encodeURIComponent(run.workflowName);
  return `${prefix}${workflow}/${run.instanceId}/${run.runNumber}/${stepKey}`;
}
