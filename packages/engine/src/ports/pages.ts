/** Pages: what is asked of a store that shows instances and histories, and what it answers. */
import type { EpochMs, EventRecord, RunRef, StepRecord } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";

export interface ListInstancesRequest {
  readonly workflowName: string;
  readonly status: InstanceStatusName | null;
  /** 1–100. */
  readonly pageSize: number;
  /** Go on after this row. Newest first by (createdAt, id), which never change. */
  readonly after: PagePosition | null;
  /** A larger payload is left out. @default payloads of any size are given */
  readonly maxPayloadBytes?: number;
}

/** UTF-8 bytes of a page; history has half of it for each of its lists. A page has one item at least. */
export const PAGE_BYTES = 1_000_000;

/** An item of a page: `omittedBytes` is the size of a payload that was left out, absent where none was. */
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
  /** 1–1000 of each list; the lists advance independently. 0: both pages are empty and say nothing about what is next. */
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
