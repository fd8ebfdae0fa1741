/** Records as callers see them. */
import { decodeJson } from "../core/codec.ts";
import { toShownError } from "../core/shown-error.ts";
import { parseFailedAttempts } from "../core/failed-attempts.ts";
import { toWaitsFor } from "../core/waits-for.ts";
import { toStartsAt } from "../core/delayed-start.ts";
import { isTerminal } from "../core/model/status.ts";
import type {
  EndRequest,
  EpochMs,
  EventRecord,
  InstanceRecord,
  StepRecord,
} from "../core/model/records.ts";
import type { Shown } from "../ports/pages.ts";
import type { EventView, InstanceView, StepView } from "../ports/instance-views.ts";

export const toInstanceView = (record: Shown<InstanceRecord>): InstanceView => ({
  id: record.instanceId,
  details: {
    status: record.status,
    runNumber: record.runNumber,
    ...(record.error === null ? {} : { error: toShownError(record.error) }),
    ...(record.output === null ? {} : { output: decodeJson(record.output) }),
    ...(record.diverged.length === 0 ? {} : { diverged: record.diverged }),
    ...startsAt(record),
    ...endRequested(record),
    ...(record.parent === null ? {} : { parent: record.parent }),
    ...(record.forkedFrom === null ? {} : { forkedFrom: record.forkedFrom }),
    ...(record.retryCount === 0 ? {} : { retryCount: record.retryCount }),
    ...(record.deadlineAt === null ? {} : { deadlineAt: record.deadlineAt }),
    ...(record.tags.length === 0 ? {} : { tags: record.tags }),
    ...(record.memo === null ? {} : { memo: decodeJson(record.memo) }),
    ...omitted(record),
  },
});

export function toStepView(record: Shown<StepRecord>): StepView {
  const { id: _id, settledOrder: _settledOrder, version: _version, ...others } = record;
  const { result, failedAttempts, ...rest } = others;
  // In this column, an open wait stores an internal mark. A loop's position and an invoke's child are shown.
  const isShown =
    record.status === "completed" || record.type === "loop" || record.type === "invoke";
  return {
    ...rest,
    waitsFor: toWaitsFor(record),
    failedAttempts: parseFailedAttempts(failedAttempts),
    result: isShown ? decodeJson(result) : undefined,
  };
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

/** Absent for an instance that was terminated before it started. */
function startsAt(record: InstanceRecord): { readonly startsAt?: EpochMs } {
  const at = isTerminal(record.status) ? null : toStartsAt(record);
  return at === null ? {} : { startsAt: at };
}

/** Absent for an instance that has ended: its status says how. */
function endRequested({ status, endRequested: request }: InstanceRecord): {
  readonly endRequested?: EndRequest;
} {
  return request === null || isTerminal(status) ? {} : { endRequested: request };
}

const omitted = ({ omittedBytes }: Shown<object>): { readonly omittedBytes?: number } =>
  omittedBytes === undefined ? {} : { omittedBytes };
