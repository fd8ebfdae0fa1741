/**
 * The columns of the records, one list per table. The lists determine what is selected and what a commit writes. The types of
 * the records, through `rows.ts`, ensure that none is missing. Columns of instants end in `At`.
 */
import type { EventRow, InstanceRow } from "./rows.ts";
import { STEP_COLUMNS } from "./step-columns.ts";

const INSTANCE: Readonly<Record<keyof InstanceRow, 1>> = {
  id: 1,
  workflowName: 1,
  instanceId: 1,
  runNumber: 1,
  status: 1,
  params: 1,
  output: 1,
  errorName: 1,
  errorMessage: 1,
  errorDetail: 1,
  pauseRequested: 1,
  endRequested: 1,
  forkedFrom: 1,
  retryCount: 1,
  deadlineAt: 1,
  tags: 1,
  memo: 1,
  createdAt: 1,
  updatedAt: 1,
  startedAt: 1,
  completedAt: 1,
  parentWorkflowName: 1,
  parentInstanceId: 1,
  parentRunNumber: 1,
  parentStepKey: 1,
  onParentEnd: 1,
};

const EVENT: Readonly<Record<keyof EventRow, 1>> = {
  _internalId: 1,
  id: 1,
  type: 1,
  payload: 1,
  eventId: 1,
  createdAt: 1,
  deliveredAt: 1,
  consumedByStepKey: 1,
};

/** Names of a row's members, in the order in which they are selected. */
export const COLUMN_NAMES: Readonly<Record<"instance" | "step" | "event", readonly string[]>> = {
  instance: Object.keys(INSTANCE),
  step: Object.keys(STEP_COLUMNS),
  event: Object.keys(EVENT),
};

/** A list of columns without some of them. */
export const without = (
  columns: readonly string[],
  ...left: readonly string[]
): readonly string[] => columns.filter((column) => !left.includes(column));

/** The column of a member. It has the member's name, except for the column that Fragno named. */
export const toColumn = (member: string): string => (member === "version" ? "_version" : member);
