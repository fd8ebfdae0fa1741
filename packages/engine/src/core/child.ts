/**
 * Children: instances that a step starts and waits for. The wait is an ordinary wait for an event of a type that nobody can
 * send or wait for by hand, since types have no spaces.
 */
import type { EndOutcome } from "./model/change.ts";
import type { ErrorRecord, JsonText } from "./model/records.ts";

/** The type, and the id, of the event that tells a step of its child's end. */
export const toChildEvent = (stepKey: string, instanceId: string): string =>
  `child ${instanceId} ${stepKey}`;

/** How a child has ended. `refused`: there is none, since another instance has its id. */
export type ChildEnd = "complete" | "errored" | "terminated" | "refused";

/** What the event says of a run that ends. The output stays the text that it is. */
export function toChildPayload(outcome: EndOutcome): JsonText {
  if (outcome.kind === "complete")
    return `${COMPLETE}${outcome.output === null ? "" : `,"output":${outcome.output}`}}`;
  return toFailedPayload(outcome.kind === "fail" ? "errored" : "terminated", outcome.error);
}

/** What it begins with for a child that is complete. */
export const COMPLETE = `{"status":"complete"`;

/** What it says of another end. */
export const toFailedPayload = (
  status: Exclude<ChildEnd, "complete">,
  error: ErrorRecord | null = null,
): JsonText => JSON.stringify({ status, error });
