/** What a store tells of the reply to an event. */
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
 * `open`: there is no reply, and the run goes on; `unanswered`: it has ended, or another has begun. `eventNotFound`: the run has
 * no such event, or has it no more. `status` is the instance's.
 */
export type LoadReplyResult =
  | { readonly kind: "notFound" | "eventNotFound" }
  | { readonly kind: "answered"; readonly reply: JsonText }
  | { readonly kind: "open" | "unanswered"; readonly status: InstanceStatusName };
