/** One instance among all. */
export interface InstanceRef {
  readonly workflowName: string;
  readonly instanceId: string;
}

/** A string that identifies the instance; names and ids contain no NUL. */
export const instanceKey = (of: InstanceRef): string => `${of.workflowName}\u0000${of.instanceId}`;
