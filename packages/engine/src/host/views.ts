/** Records as callers see them. */
import { decodeJson } from "../core/codec.ts";
import type { EventRecord, InstanceRecord, StepRecord } from "../core/model/records.ts";
import type { EventView, InstanceView, StepView } from "../ports/service.ts";

export const toInstanceView = (record: InstanceRecord): InstanceView => ({
  id: record.instanceId,
  details: {
    status: record.status,
    runNumber: record.runNumber,
    ...(record.error === null ? {} : { error: record.error }),
    ...(record.output === null ? {} : { output: decodeJson(record.output) }),
  },
});

export function toStepView(record: StepRecord): StepView {
  const { id: _id, settledOrder: _settledOrder, result, ...rest } = record;
  return { ...rest, result: decodeJson(result) };
}

export const toEventView = (record: EventRecord): EventView => ({
  id: record.id,
  type: record.type,
  payload: decodeJson(record.payload),
  createdAt: record.createdAt,
  deliveredAt: record.deliveredAt,
  consumedByStepKey: record.consumedByStepKey,
});
