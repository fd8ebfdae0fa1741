/** The key that a step passes to other services, so that they do its work only once. */
import type { InstanceRef } from "./model/instance-key.ts";

/** The run whose steps a key is for. */
export interface KeyedRun {
  readonly run: InstanceRef;
  /** Identifies the run in keys: the same after a restart that keeps keys, different after a restart that does not and after a rewind. */
  readonly keyNumber: number;
}

/**
 * The same for every attempt of a step in a run and after a restart that keeps keys, and different for any two of namespace, workflow,
 * instance, key number and step. The first segment holds namespace and workflow with `:` and `/` escaped; ids and numbers contain
 * neither; the rest is the step's key.
 *
 * @param namespace keeps databases apart that use the same services; empty: none
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
