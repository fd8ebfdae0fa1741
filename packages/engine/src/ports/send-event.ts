/** What a store is asked for, and answers, when an event is sent. */
import type { InstanceRecord, JsonText } from "../core/model/records.ts";
import type { CallTicket, NextDue, ClaimedRun } from "./claim.ts";
import type { Applied, Refused } from "./control.ts";

export interface SendEventRequest {
  readonly workflowName: string;
  readonly instanceId: string;
  readonly eventRowId: string;
  readonly type: string;
  readonly payload: JsonText | null;
  /** The sender's own id: an event that comes again with it is stored once per run. null: none. */
  readonly eventId: string | null;
  /** W3C traceparent of what sends it. @default none */
  readonly traceContext?: string;
  /** What the run may hold undelivered, this event included. */
  readonly cap: EventCap;
  /** Claim the run at once if the event makes it due, as if `claim` had found it. null: leave it to a claim. */
  readonly claim: CallTicket | null;
  /**
   * The event is for one wait: it is stored once, and only while this is the present run, the step of the key has no row or
   * is a wait whose deadline has not passed, and no scope around it has ended or gone past its iteration. `eventId` is not
   * null then. @default an event for any wait of its type
   */
  readonly callback?: CallbackTarget;
}

/** The wait that an event is for. */
export interface CallbackTarget {
  readonly runNumber: number;
  readonly stepKey: string;
}

/** How many undelivered events a run may hold. */
export interface EventCap {
  readonly maxCount: number;
  /** UTF-8 bytes of payloads. */
  readonly maxBytes: number;
}

/**
 * `eventIdConflict`: the run has an event of that id with another type or payload. `eventLimit`: the run holds as much as
 * it may. `callbackUsed`: another event was stored for that wait; `callbackLate`: it takes none any more. The run sees
 * nothing of it.
 */
export interface EventRefused {
  readonly kind: "eventIdConflict" | "eventLimit" | "callbackUsed" | "callbackLate";
  readonly instance: InstanceRecord;
}

export interface EventAccepted extends Applied {
  /** The run that was claimed; null: none was asked for, or the event made nothing due. */
  readonly run: ClaimedRun | null;
  /** Absent: the claim asked for none. */
  readonly next?: NextDue | undefined;
}

export type SendEventResult = EventAccepted | Refused | EventRefused;
