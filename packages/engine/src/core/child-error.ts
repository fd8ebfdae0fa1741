/** The error of a step whose child did not complete. Loaded together with the step that waits for children. */
import { type ChildEnd, COMPLETE } from "./child.ts";
import { createErrorRecord } from "./stored-error.ts";
import type { InstanceRef } from "./model/instance-key.ts";
import type { ErrorRecord, JsonText } from "./model/records.ts";

/** The error of a step whose child ended as the event says; null: the child is complete. */
export function toChildError(
  { workflowName, instanceId }: InstanceRef,
  payload: JsonText,
): ErrorRecord | null {
  if (payload.startsWith(COMPLETE)) return null;
  const { status, error } = JSON.parse(payload) as {
    readonly status: Exclude<ChildEnd, "complete">;
    readonly error: ErrorRecord | null;
  };
  const { code, name, ended } = FAILURES[status];
  const child = `child "${instanceId}" of workflow "${workflowName}"`;
  const message = `${child} ${ended}${error === null ? "" : `: ${error.message}`}`;
  const details = { workflowName, instanceId };
  return { ...createErrorRecord(code, { name, message }), details, cause: error };
}

const FAILURES = {
  errored: { code: "CHILD_FAILED", name: "ChildFailed", ended: "failed" },
  terminated: { code: "CHILD_TERMINATED", name: "ChildTerminated", ended: "was terminated" },
  refused: {
    code: "INSTANCE_ID_ALREADY_EXISTS",
    name: "InstanceIdAlreadyExists",
    ended: "was not started: another instance has its id",
  },
} as const;
