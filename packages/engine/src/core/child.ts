/**
 * Children: instances that a step starts and waits for. The wait is an ordinary wait for an event of a type that nobody can
 * send or wait for by hand, since types have no spaces.
 */
import { createErrorRecord } from "./error-record.ts";
import type { EndOutcome } from "./model/change.ts";
import type { InstanceRef } from "./model/instance-key.ts";
import type { ErrorRecord, JsonText } from "./model/records.ts";

/** The type, and the id, of the event that tells a step of its child's end. */
export const toChildEvent = (stepKey: string, instanceId: string): string =>
  `child ${instanceId} ${stepKey}`;

/** How a child has ended. `refused`: there is none, since another instance has its id. */
type ChildEnd = "complete" | "errored" | "terminated" | "refused";

/** What the event says of a run that ends. The output stays the text that it is. */
export function toChildPayload(outcome: EndOutcome): JsonText {
  if (outcome.kind === "complete")
    return `{"status":"complete"${outcome.output === null ? "" : `,"output":${outcome.output}`}}`;
  return toFailedPayload(outcome.kind === "fail" ? "errored" : "terminated", outcome.error);
}

/** What it says of another end. */
export const toFailedPayload = (
  status: Exclude<ChildEnd, "complete">,
  error: ErrorRecord | null = null,
): JsonText => JSON.stringify({ status, error });

/** The error of a step whose child ended as the event says; null: it is complete. */
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

const COMPLETE = `{"status":"complete"`;

const FAILURES = {
  errored: { code: "CHILD_FAILED", name: "ChildFailed", ended: "failed" },
  terminated: { code: "CHILD_TERMINATED", name: "ChildTerminated", ended: "was terminated" },
  refused: {
    code: "INSTANCE_ID_ALREADY_EXISTS",
    name: "InstanceIdAlreadyExists",
    ended: "was not started: another instance has its id",
  },
} as const;
