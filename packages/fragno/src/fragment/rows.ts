/** Converts rows, as Fragno reads them, to the engine's records. */
import type { FragnoId } from "@fragno-dev/db/schema";
import {
  type EventRecord,
  type EventRow,
  type InstanceRecord,
  type InstanceRow,
  type ProgressRecord,
  type StepRecord,
  type StepRow,
  toEventRecord,
  toInstanceRecord,
  toStepRecord,
} from "@escapement/engine/internal";

/** A row of any of our tables; instants are Dates. */
export type FragnoRow = Readonly<Record<string, unknown>> & { readonly id: FragnoId };

export const readInstance = (row: FragnoRow): InstanceRecord => toInstanceRecord(toStoreRow(row));

export const readStep = (row: FragnoRow): StepRecord => toStepRecord(toStoreRow(row));

/** Of a row that was read without its result, which may be long. */
export const readStepWithoutResult = (row: FragnoRow): StepRecord =>
  readStep({ ...row, result: null });

export const readEvent = (row: FragnoRow): EventRecord => toEventRecord(toStoreRow(row));

/** An entry of a stream. */
export function readProgressRow(row: FragnoRow): ProgressRecord {
  const { sequence, runNumber, stepKey, attempt, createdAt, value } = toStoreRow(row);
  return { sequence, runNumber, stepKey, attempt, createdAt, value };
}

/** A row of any table. Fragno's finds do not say of which one. */
type StoreRow = InstanceRow & StepRow & EventRow & ProgressRecord;

/** In the form of the SQL store: instants in milliseconds, the id as text. */
function toStoreRow({ id, ...columns }: FragnoRow): StoreRow {
  const plain = Object.entries(columns).map(([name, value]) => [
    name,
    value instanceof Date ? value.getTime() : value,
  ]);
  return {
    ...Object.fromEntries(plain),
    id: id.externalId,
    _internalId: Number(id.internalId ?? 0),
  } as object as StoreRow;
}
