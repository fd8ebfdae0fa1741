/** Turns a request for instances into parameters of the statements. Loaded with the first request. */
import { INSTANCE_STATUSES, type InstanceStatusName } from "../../core/model/status.ts";
import {
  type FindInstancesRequest,
  type InstanceFilter,
  LIVE_STATUSES,
} from "../../ports/find-instances.ts";
import type { PagePosition } from "../../ports/pages.ts";
import type { BranchRow } from "./statements/walks.ts";

/** A position after every instance. */
const LAST = { at: 8_640_000_000_000_000, id: "" };

/** A request for a page or a count. */
export interface AskedInstances
  extends Pick<FindInstancesRequest, "workflowNames" | "statuses">, Partial<InstanceFilter> {
  readonly after?: PagePosition | null;
}

/** Whether the filter needs more than the begin and end of the walks. */
export const isFiltered = (asked: AskedInstances): boolean =>
  asked.isStuck === true ||
  [asked.tag, asked.idPrefix, asked.errorCode, asked.updatedFrom, asked.updatedBefore, asked.parent]
    .map((value) => value ?? null)
    .some((value) => value !== null);

/** The statuses that matching instances can have; null: any. Stuck instances are found by status, because few instances have those statuses. */
export function toStatuses({
  statuses,
  isStuck,
}: AskedInstances): readonly InstanceStatusName[] | null {
  if (isStuck !== true) return statuses;
  return LIVE_STATUSES.filter((status) => statuses?.includes(status) ?? true);
}

/** Makes a walk for each workflow, or for each of its statuses. */
export function toBranches(asked: AskedInstances): readonly BranchRow[] {
  const { workflowNames, statuses } = asked;
  const looksFor = { ...toBounds(asked), ...toConditions(asked) };
  const toBranch = (workflowName: string, status?: string): BranchRow => ({
    workflowName,
    ...(status === undefined ? {} : { status }),
    ...looksFor,
  });
  return workflowNames.flatMap((workflowName) =>
    statuses === null
      ? [toBranch(workflowName)]
      : statuses.map((status) => toBranch(workflowName, status)),
  );
}

function toBounds({ after, createdBefore, createdFrom }: AskedInstances) {
  const end = (createdBefore ?? null) === null ? LAST : { at: createdBefore ?? 0, id: "" };
  const { at, id } = after ?? end;
  return { at, id, createdFrom: createdFrom ?? 0 };
}

function toConditions(asked: AskedInstances): Partial<BranchRow> {
  const { tag, idPrefix, errorCode, updatedFrom, updatedBefore, parent } = asked;
  const given = {
    updatedFrom,
    updatedBefore,
    tag: (tag ?? null) === null ? null : JSON.stringify(tag),
    idPrefix,
    detailPrefix: (errorCode ?? null) === null ? null : `{"code":${JSON.stringify(errorCode)}`,
    parentName: parent?.workflowName,
    parentId: parent?.instanceId,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => (value ?? null) !== null));
}

/** Texts as JSON rows. @param texts null: every status */
export const toTextRows = (texts: readonly string[] | null): string =>
  JSON.stringify((texts ?? INSTANCE_STATUSES).map((is) => ({ is })));

/** Names of workflows in the form for `firstOfEach`. */
export const toNameRows = (names: readonly string[]): string =>
  JSON.stringify(names.map((name) => ({ name })));
