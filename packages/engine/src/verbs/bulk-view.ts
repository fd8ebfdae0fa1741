/** What a bulk job stores about itself, and how callers see it. */
import { decodeJson } from "../core/codec.ts";
import type { BulkAct } from "../core/bulk.ts";
import { assertInvariant } from "../core/errors.ts";
import type { InstanceRecord, JsonText } from "../core/model/records.ts";
import type { BulkProgress, BulkView } from "../ports/bulk.ts";
import type { InstancesInput } from "../ports/finding-service.ts";
import type { InstancesRequest } from "./count-matching.ts";

/** The progress of a job, without the fields that are computed. */
export type Progress = Omit<BulkProgress, "left">;

/** The params of a job's instance. */
export interface BulkParams {
  readonly act: BulkAct;
  readonly filter: InstancesInput;
  /** The filter as the store takes it. */
  readonly request: InstancesRequest;
}

/** The memo of a job's instance, which lists show. */
export interface BulkMemo {
  readonly act: BulkAct;
  readonly filter: InstancesInput;
  readonly progress: BulkProgress;
}

/** The progress of a job that has not run yet. */
export const NO_PROGRESS: BulkProgress = {
  total: null,
  isCapped: false,
  done: 0,
  refused: 0,
  refusedByCode: {},
  left: null,
  refusals: [],
};

export const toMemo = (memo: BulkMemo): JsonText => JSON.stringify(memo);

/** Computes `left`. Instances that disappear or no longer match before the job reaches them would remain at the end, so they count as reached then. */
export function toShownProgress(progress: Progress): BulkProgress {
  const { total, isCapped, done, refused } = progress;
  const isKnown = total !== null && !isCapped;
  return { ...progress, left: isKnown ? Math.max(0, total - done - refused) : null };
}

/** Reads a job from its instance. */
export function toBulkView(record: InstanceRecord): BulkView {
  const { instanceId: id, status, createdAt: startedAt, updatedAt, error, output } = record;
  const memo = decodeJson(record.memo) as BulkMemo | undefined;
  assertInvariant(memo !== undefined && memo !== null, "a bulk job without a memo", { id });
  const { act, filter } = memo;
  const progress =
    status === "complete" && output !== null
      ? { ...(decodeJson(output) as Progress), left: 0 }
      : memo.progress;
  const { name = "", message = "" } = error ?? {};
  const failure = error === null ? {} : { error: { name, message } };
  return { id, act, filter, status, startedAt, updatedAt, progress, ...failure };
}
