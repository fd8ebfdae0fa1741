/** Reads the reply to an event from a store. */
import type { JsonText } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";

export interface LoadReplyRequest {
  readonly workflowName: string;
  readonly instanceId: string;
  /** The sender's own id of the event. */
  readonly eventId: string;
  /** Run that the event was sent to; null: the present one. */
  readonly runNumber: number | null;
}

/**
 * `open`: there is no reply yet, and the run goes on. `unanswered`: the run has ended without one, or another run has begun.
 * `eventNotFound`: the run has no such event, or no longer has it. `status` is that of the instance.
 */
export type LoadReplyResult =
  | { readonly kind: "notFound" | "eventNotFound" }
  | { readonly kind: "answered"; readonly reply: JsonText }
  | { readonly kind: "open" | "unanswered"; readonly status: InstanceStatusName };
