/** How much of a run a call reads at once, and how the rest is read page by page. */
import type { EpochMs, EventRecord, RunRef } from "../core/model/records.ts";
import type { ClaimedRun } from "./claim.ts";

/**
 * How many events a call reads of a run that has many: the oldest ones. The rest is read when waits need it
 * (`loadEvents`), so that claims and commits do not grow with what somebody sends.
 */
export const EVENT_PAGE: {
  readonly rows: number;
  /** UTF-8 bytes of payloads; a first event that is larger is read all the same. */
  readonly bytesOfRun: number;
  /** Over all runs of a call; beyond it, runs come without events. */
  readonly bytesOfCall: number;
} = { rows: 100, bytesOfRun: 262_144, bytesOfCall: 8_388_608 };

/** Bytes that are counted for an item in addition to its texts. */
export const ITEM_BYTES = 512;

/**
 * How much a call reads of the steps of all its runs together: UTF-8 bytes of results, and `ITEM_BYTES` for each step. Ten
 * thousand small steps fit. A run that does not fit is read page by page before the replay (`loadSteps`), so that calls do
 * not grow with what runs have done.
 */
export const STEP_PAGE_BYTES = 8_388_608;

export interface LoadEventsRequest extends RunRef {
  readonly types: readonly string[];
  readonly afterSequence: number;
}

export interface LoadStepsRequest extends RunRef {
  /** 0: from the first step on. */
  readonly after: number;
}

/** A part of a run's steps, as `ClaimedRun` has them. */
export interface StepPage extends Pick<ClaimedRun, "settled" | "open"> {
  /** Where `loadSteps` continues, if the run has more steps, settled or open. null: these are all. */
  readonly stepsAfter: number | null;
  /** Database time of the call. */
  readonly now: EpochMs;
}

export interface EventPage {
  /** Undelivered events of the types, oldest first. */
  readonly events: readonly EventRecord[];
  /** The page has every event of these types above `afterSequence` and up to this sequence. */
  readonly upTo: number;
  /** There are more of them above `upTo`. */
  readonly hasMore: boolean;
}
