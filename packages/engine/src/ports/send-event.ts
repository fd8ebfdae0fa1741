/** Sends an event: what a store is asked, and what it answers. */
import type { InstanceRecord, JsonText } from "../core/model/records.ts";
import type { CallTicket, NextDue, ClaimedRun } from "./claim.ts";
import type { Conditions } from "../core/decide/demand.ts";
import type { Applied, Refused, RunNumberMismatch, StatusMismatch } from "./control.ts";

export interface SendEventRequest {
  readonly workflowName: string;
  readonly instanceId: string;
  readonly eventRowId: string;
  readonly type: string;
  readonly payload: JsonText | null;
  /** The sender's own id: a repeated event with the same id is stored once per run. null: none. */
  readonly eventId: string | null;
  /** The event is stored only if the instance meets this. An event that is stored already is a repeat all the same. @default anything */
  readonly demand?: Conditions;
  /** W3C traceparent of what sends it. @default none */
  readonly traceContext?: string;
  /** How much the run may hold undelivered, including this event. */
  readonly cap: EventCap;
  /** Claim the run at once if the event makes it due, as if `claim` had found it. null: leave it to a claim. */
  readonly claim: CallTicket | null;
  /**
   * The event is for one wait. It is stored once, and only if this is the current run, if the step with the key has no row or
   * is a wait whose deadline has not passed, and if no scope around it has ended or gone past its iteration. Then `eventId` is
   * not null. @default an event for any wait for its type
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
 * `eventIdConflict`: the run has an event with that id and another type or payload. `eventLimit`: the run holds as much as it
 * may. `callbackUsed`: another event was stored for that wait. `callbackLate`: the wait takes no event any more. The run does
 * not see a refused event.
 */
export interface EventRefused {
  readonly kind: "eventIdConflict" | "eventLimit" | "callbackUsed" | "callbackLate";
  readonly instance: InstanceRecord;
}

export interface EventAccepted extends Applied {
  /** The run that was claimed; null: the request asked for no claim, or the event made nothing due. */
  readonly run: ClaimedRun | null;
  /** Absent: the claim did not ask for it. */
  readonly next?: NextDue | undefined;
}

export type SendEventResult =
  | EventAccepted
  | Refused
  | EventRefused
  | RunNumberMismatch
  | StatusMismatch;
