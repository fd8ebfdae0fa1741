/**
 * Children: instances that a step starts and waits for. The wait is an ordinary wait for an event. Its type contains a space, so
 * nobody can send it or wait for it by hand.
 */
import type { EndOutcome } from "./model/change.ts";
import type { ErrorRecord, JsonText } from "./model/records.ts";

/** The type, and also the id, of the event that reports a child's end to its step. */
export const toChildEvent = (stepKey: string, instanceId: string): string =>
  `child ${instanceId} ${stepKey}`;

/** How a child has ended. `refused`: it was not created, because another instance has its id. */
export type ChildEnd = "complete" | "errored" | "terminated" | "refused";

/** The payload of the event that reports a run's end. The text of the output is kept unchanged. */
export function toChildPayload(outcome: EndOutcome): JsonText {
  if (outcome.kind === "complete")
    return `${COMPLETE}${outcome.output === null ? "" : `,"output":${outcome.output}`}}`;
  return toFailedPayload(outcome.kind === "fail" ? "errored" : "terminated", outcome.error);
}

/** The beginning of the payload for a child that is complete. */
export const COMPLETE = `{"status":"complete"`;

/** The payload for any other end. */
export const toFailedPayload = (
  status: Exclude<ChildEnd, "complete">,
  error: ErrorRecord | null = null,
): JsonText => JSON.stringify({ status, error });
