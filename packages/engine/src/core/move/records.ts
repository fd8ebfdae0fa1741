/** What moves with an instance to another store, record by record: everything except what identifies places in a database. */
import type { EventRecord, InstanceRecord, JsonText, StepRecord } from "../model/records.ts";
import type { ProgressRecord } from "../progress.ts";

/** An instance, with the columns that its record leaves out. */
export interface MovedInstance extends InstanceRecord {
  readonly kind: "instance";
  /** Idempotency key of the last command that carried one. */
  readonly controlKey: string | null;
  /** The number of the run in idempotency keys; null: its run number. */
  readonly keyNumber: number | null;
  /** Traceparent of the call that created it; null: none was given. */
  readonly traceContext: string | null;
}

/** A step of any of the instance's runs. */
export interface MovedStep extends StepRecord {
  readonly kind: "step";
  readonly runNumber: number;
  /** JSON array of `StepChange.startedKeys`; null: none. */
  readonly startedKeys: JsonText | null;
}

/** An event of any of its runs. Its sequence is that of the source store. */
export interface MovedEvent extends Omit<EventRecord, "traceContext"> {
  readonly kind: "event";
  readonly runNumber: number;
  /** Made by `toReplyText`; null: none. */
  readonly reply: JsonText | null;
  /** Traceparent of its sender; null: none was given. */
  readonly traceContext: string | null;
}

/** An entry of its stream. */
export interface MovedEntry extends ProgressRecord {
  readonly kind: "progress";
}

/** What belongs to one instance. */
export type MovedPart = MovedStep | MovedEvent | MovedEntry;
export type MovedRecord = MovedInstance | MovedPart;
