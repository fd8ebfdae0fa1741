/** What a store keeps of topics: their messages, and the waits that have yet to get one. */
import type { MessageEmitted } from "../core/model/change.ts";
import type { EpochMs, Lease, RunRef } from "../core/model/records.ts";
import type { ClaimedRun } from "./claim.ts";

export interface EmitRequest extends Omit<MessageEmitted, "kind" | "stepKey" | "rowId"> {
  readonly messageRowId: string;
  /** The caller goes on with `deliver` itself; until it has not done so for `TOPIC_PATIENCE_MS`, no claim does. */
  readonly isDelivering: boolean;
}

/** A wait that has yet to get a message that is there. */
export interface DueWait {
  /** Row id of the step. */
  readonly id: string;
  /** UTF-8 bytes of its message. */
  readonly sizeBytes: number;
}

/**
 * `emitted`: stored by this call, or by an earlier one with the same row id. `duplicate`: the topic has a message of that id;
 * nothing was stored. `full`: waits have yet to get as many messages as a topic may hold; nothing was stored.
 */
export interface EmitResult {
  readonly kind: "emitted" | "duplicate" | "full";
  /** Of the topic's last message. */
  readonly sequence: number;
  /** Waits that are to get a message, oldest first, a chunk of them. */
  readonly due: readonly DueWait[];
}

export interface DeliverRequest {
  readonly topic: string;
  /** Waits to hand messages to; none: look for some. */
  readonly waitIds: readonly string[];
  /** Messages up to this one are to be handed on. */
  readonly upTo: number;
}

export interface DeliverResult {
  /** Runs that this call has made due, some of them twice over; and those that were due, since their wait's deadline had passed. */
  readonly woke: readonly Pick<RunRef, "workflowName" | "instanceId">[];
  /** The next chunk. Empty: all have their message. */
  readonly due: readonly DueWait[];
}

export interface ListWaitersRequest {
  readonly topic: string;
  readonly limit: number;
}

/** A run that waits for a topic's next message. */
export interface TopicWaiter extends RunRef {
  readonly stepKey: string;
  /** When it stops waiting; null: it does not. */
  readonly wakeAt: EpochMs | null;
}

/** Topics of a store. */
export interface TopicStore {
  /**
   * Stores a message. Every wait whose commit was applied before is to get it, and none whose commit comes after: both take
   * the topic's lock. Where waits are to get it, a task of `TOPIC_TASKS` says so until they have. One trip.
   */
  emit(request: EmitRequest): Promise<EmitResult>;
  /**
   * Hands each of the waits the first message of the topic that it has not passed, once, however often and by whom it is
   * called, and makes its run due as `sendEvent` does. One trip.
   */
  deliver(request: DeliverRequest): Promise<DeliverResult>;
  /** Open waits of runs that go on, oldest cursor first. */
  listWaiters(request: ListWaitersRequest): Promise<readonly TopicWaiter[]>;
}

/** The claim of a task of `TOPIC_TASKS`: no run, but what has yet to be handed on. `runNumber` is the last message's. */
export const toTopicRun = (lease: Omit<Lease, "instanceRowId">, run: RunRef): ClaimedRun => ({
  lease: { ...lease, instanceRowId: "" },
  run,
  keyNumber: 1,
  retryCount: 0,
  params: null,
  createdAt: 0,
  startedAt: 0,
  isFirst: false,
  isWhole: true,
  settled: [],
  open: [],
  events: [],
  hasMoreEvents: false,
  lostLeases: 0,
  pauseRequested: false,
  endRequested: null,
  parent: null,
});
