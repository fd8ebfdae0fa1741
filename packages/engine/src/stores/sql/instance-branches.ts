/** Turns a request for instances into parameters of the statements. Loaded with the first request. */
import { INSTANCE_STATUSES, type InstanceStatusName } from "../../core/model/status.ts";
import { type InstanceSelection, LIVE_STATUSES } from "../../ports/find-instances.ts";
import type { PagePosition } from "../../ports/pages.ts";
import type { BranchRow } from "./statements/walks.ts";

/** A position after every instance. */
const LAST = { at: 8_640_000_000_000_000, id: "" };

/** A request for a page or a count. */
interface PagedSelection extends InstanceSelection {
  readonly after?: PagePosition | null;
}

/** Whether the filter needs more than the begin and end of the walks. */
export const isFiltered = (selection: InstanceSelection): boolean =>
  selection.isStuck === true ||
  [
    selection.tag,
    selection.idPrefix,
    selection.errorCode,
    selection.updatedFrom,
    selection.updatedBefore,
    selection.parent,
  ]
    .map((value) => value ?? null)
    .some((value) => value !== null);

/** The statuses that matching instances can have; null: any. Stuck instances are found by status, because few instances have those statuses. */
export function toStatuses({
  statuses,
  isStuck,
}: InstanceSelection): readonly InstanceStatusName[] | null {
  if (isStuck !== true) return statuses;
  return LIVE_STATUSES.filter((status) => statuses?.includes(status) ?? true);
}

/** Makes a walk for each workflow, or for each of its statuses. */
export function toBranches(selection: PagedSelection): readonly BranchRow[] {
  const { workflowNames, statuses } = selection;
  const looksFor = { ...toBounds(selection), ...toConditions(selection) };
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

function toBounds({ after, createdBefore, createdFrom }: PagedSelection) {
  const end = (createdBefore ?? null) === null ? LAST : { at: createdBefore ?? 0, id: "" };
  const { at, id } = after ?? end;
  return { at, id, createdFrom: createdFrom ?? 0 };
}

function toConditions(selection: InstanceSelection): Partial<BranchRow> {
  const { tag, idPrefix, errorCode, updatedFrom, updatedBefore, parent } = selection;
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
