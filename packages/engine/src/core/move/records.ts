/** What goes with an instance when it is taken to another store, record by record: all of it but what names places in a database. */
import type { EventRecord, InstanceRecord, JsonText, StepRecord } from "../model/records.ts";
import type { ProgressRecord } from "../progress.ts";

/** An instance, with what its record does not tell. */
export interface MovedInstance extends InstanceRecord {
  readonly kind: "instance";
  /** Idempotency key of the last command that carried one. */
  readonly controlKey: string | null;
  /** What stands for the run in idempotency keys; null: its number. */
  readonly keyNumber: number | null;
  /** Traceparent of what created it; null: none was given. */
  readonly traceContext: string | null;
}

/** A step of any of the instance's runs. */
export interface MovedStep extends StepRecord {
  readonly kind: "step";
  readonly runNumber: number;
  /** JSON array of `StepChange.startedKeys`; null: none. */
  readonly startedKeys: JsonText | null;
}

/** An event of any of its runs. Its sequence is one of the store that it comes from. */
export interface MovedEvent extends Omit<EventRecord, "traceContext"> {
  readonly kind: "event";
  readonly runNumber: number;
  /** Made by `toReplyText`; null: there is none. */
  readonly reply: JsonText | null;
  /** Traceparent of what sent it; null: none was given. */
  readonly traceContext: string | null;
}

/** An entry of its stream. */
export interface MovedEntry extends ProgressRecord {
  readonly kind: "progress";
}

/** What belongs to one instance. */
export type MovedPart = MovedStep | MovedEvent | MovedEntry;
export type MovedRecord = MovedInstance | MovedPart;
