/** What a store keeps of topics: their messages, and the waits that have yet to get one. */
import type { MessageEmitted } from "../core/model/change.ts";
import type { EpochMs, Lease, RunRef } from "../core/model/records.ts";
import type { ClaimedRun } from "./claim.ts";

export interface EmitRequest extends Omit<MessageEmitted, "kind" | "stepKey" | "rowId"> {
  readonly messageRowId: string;
  /** The caller goes on with `deliver` itself; until it has not done so for `TOPIC_PATIENCE_MS`, no claim does. */
  readonly isDelivering: boolean;
}

/** A wait that still has to get a message that exists. */
export interface DueWait {
  /** Row id of the step. */
  readonly id: string;
  /** UTF-8 bytes of its message. */
  readonly sizeBytes: number;
}

/**
 * `emitted`: stored by this call, or by an earlier one with the same row id. `duplicate`: the topic has this message, with that
 * id; nothing was stored. `conflict`: the topic has another message with that id; nothing was stored. `full`: the topic holds as
 * many undelivered messages as it may; nothing was stored.
 */
export interface EmitResult {
  readonly kind: "emitted" | "duplicate" | "conflict" | "full";
  /** Of the topic's last message. */
  readonly sequence: number;
  /** One chunk of the waits that are to get a message, oldest first. */
  readonly due: readonly DueWait[];
}

export interface DeliverRequest {
  readonly topic: string;
  /** Waits to deliver messages to; empty: find some. */
  readonly waitIds: readonly string[];
  /** Deliver messages up to this sequence. */
  readonly upTo: number;
}

export interface DeliverResult {
  /** Runs that this call made due, possibly more than once; and runs that were due already, because their wait's deadline had passed. */
  readonly woke: readonly Pick<RunRef, "workflowName" | "instanceId">[];
  /** The next chunk. Empty: all have their message. */
  readonly due: readonly DueWait[];
}

/** How many waits one look reads to find those that are open. A run that was ended leaves its wait behind, until the next message. */
export const TOPIC_WAITS_SCANNED = 4000;

export interface ListWaitersRequest {
  readonly topic: string;
  readonly limit: number;
}

/** A run that waits for a topic's next message. */
export interface TopicWaiter extends RunRef {
  readonly stepKey: string;
  /** When it stops waiting; null: never. */
  readonly wakeAt: EpochMs | null;
}

/** Topics of a store. */
export interface TopicStore {
  /**
   * Stores a message. Every wait whose commit was applied before it gets the message, and no wait whose commit comes after it:
   * both take the topic's lock. If there are such waits, a task of `TOPIC_TASKS` exists until they have the message. One trip.
   */
  emit(request: EmitRequest): Promise<EmitResult>;
  /**
   * Delivers to each of the waits the first message of the topic after the wait's cursor, and makes its run due as `sendEvent`
   * does. Each wait gets one message, however often and by whomever this is called. One trip.
   */
  deliver(request: DeliverRequest): Promise<DeliverResult>;
  /** Open waits of runs that go on, oldest cursor first, among the first `TOPIC_WAITS_SCANNED`. */
  listWaiters(request: ListWaitersRequest): Promise<readonly TopicWaiter[]>;
}

/** The claim of a task of `TOPIC_TASKS`. It stands for messages to deliver, not for a run; `runNumber` is the last message's sequence. */
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
