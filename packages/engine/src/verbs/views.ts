/** Records as callers see them. */
import { decodeJson } from "../core/codec.ts";
import type { EventRecord, InstanceRecord, StepRecord } from "../core/model/records.ts";
import type { Shown } from "../ports/store.ts";
import type { EventView, InstanceView, StepView } from "../ports/service.ts";

export const toInstanceView = (record: Shown<InstanceRecord>): InstanceView => ({
  id: record.instanceId,
  details: {
    status: record.status,
    runNumber: record.runNumber,
    ...(record.error === null ? {} : { error: record.error }),
    ...(record.output === null ? {} : { output: decodeJson(record.output) }),
    ...(record.diverged.length === 0 ? {} : { diverged: record.diverged }),
    ...omitted(record),
  },
});

export function toStepView(record: Shown<StepRecord>): StepView {
  const { id: _id, settledOrder: _settledOrder, version: _version, result, ...rest } = record;
  // An open wait keeps a mark of its own in the column.
  return { ...rest, result: record.status === "completed" ? decodeJson(result) : undefined };
}

export const toEventView = (record: Shown<EventRecord>): EventView => ({
  id: record.id,
  type: record.type,
  payload: decodeJson(record.payload),
  ...omitted(record),
  createdAt: record.createdAt,
  deliveredAt: record.deliveredAt,
  consumedByStepKey: record.consumedByStepKey,
});

const omitted = ({ omittedBytes }: Shown<object>): { readonly omittedBytes?: number } =>
  omittedBytes === undefined ? {} : { omittedBytes };
