/** Pages of instances and histories: what a store is asked, and what it answers. */
import type { EpochMs, EventRecord, RunRef, StepRecord } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";

export interface ListInstancesRequest {
  readonly workflowName: string;
  readonly status: InstanceStatusName | null;
  /** 1–100. */
  readonly pageSize: number;
  /** Continue after this row. Newest first by (createdAt, id), which never change. */
  readonly after: PagePosition | null;
  /** A larger payload is left out. @default payloads of any size are given */
  readonly maxPayloadBytes?: number;
}

/** UTF-8 bytes of a page; each of the two lists of a history may have half of it. A page has at least one item. */
export const PAGE_BYTES = 1_000_000;

/** The largest payload that a page or a batch shows by default. */
export const SMALL_PAYLOAD_BYTES = 16_384;

/** An item of a page. `omittedBytes` is the size of a payload that was left out; absent if none was. */
export type Shown<T> = T & { readonly omittedBytes?: number };

/** The sort values of a row: its instant and, as a tie-break, its row id. */
export interface PagePosition {
  readonly at: EpochMs;
  readonly id: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Position of the last item; null when there is no further page. */
  readonly next: PagePosition | null;
}

export interface HistoryRequest extends RunRef {
  /** 1–1000 items of each list; the lists advance independently. 0: both pages are empty, and `next` says nothing. */
  readonly pageSize: number;
  readonly stepsAfter: PagePosition | null;
  readonly eventsAfter: PagePosition | null;
  /** A larger result or payload is left out. @default those of any size are given */
  readonly maxPayloadBytes?: number;
}

export interface HistoryPage {
  readonly steps: Page<Shown<StepRecord>>;
  readonly events: Page<Shown<EventRecord>>;
}
