/** Data about an instance for operators, under the names of Fragno's own workflows fragment. */
import type { TxResult } from "@fragno-dev/db";
import {
  COLUMN_NAMES,
  decodeJson,
  type EpochMs,
  type InstanceRecord,
  type InstanceRef,
  type StepRecord,
  type StepView,
  toStartsAt,
  toStepView,
  without,
} from "@escapement/engine/internal";
import type { FragmentHost } from "../fragment-host.ts";
import { readStepWithoutResult } from "../rows.ts";
import { currentRun, findInstance, findOf, parseRef, requireInstance } from "./find-instance.ts";
import { type ServiceScope, toServiceCall, type WriteUow } from "./operation.ts";

/** Data about an instance besides its status. Instants are epoch milliseconds of the database. */
export interface InstanceMetadata {
  readonly workflowName: string;
  readonly runNumber: number;
  /** Of the current run. */
  readonly params: unknown;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** When the current run was first claimed; null: not yet. */
  readonly startedAt: EpochMs | null;
  /** When the current run ended; null: it has not. */
  readonly completedAt: EpochMs | null;
}

/** The step that began last, without its result. */
export type CurrentStep = Omit<StepView, "result" | "omittedBytes" | "createdAt" | "updatedAt">;

export function getInstanceMetadata(
  scope: ServiceScope,
  workflowName: string,
  instanceId: string,
): TxResult<InstanceMetadata> {
  const parsed = parseRef(scope.host, workflowName, instanceId);
  return toServiceCall(scope, {
    find: (uow) => findInstance(uow, parsed),
    decide: ([rows]) => toMetadata(requireInstance(rows, parsed).record),
    answer: (metadata) => metadata,
  });
}

function toMetadata(record: InstanceRecord): InstanceMetadata {
  const { workflowName, runNumber, params, createdAt, updatedAt, completedAt } = record;
  const startedAt = toStartsAt(record) === null ? record.startedAt : null;
  const instants = { createdAt, updatedAt, startedAt, completedAt };
  return { workflowName, runNumber, params: decodeJson(params), ...instants };
}

export function getInstanceCurrentStep(
  scope: ServiceScope,
  workflowName: string,
  instanceId: string,
): TxResult<CurrentStep | undefined> {
  const { host } = scope;
  const parsed = parseRef(host, workflowName, instanceId);
  return toServiceCall(scope, {
    find: (uow) => findLastStep(host, findInstance(uow, parsed), parsed),
    decide: ([instances, steps = []]) => {
      requireInstance(instances, parsed);
      const last = steps.map(readStepWithoutResult).toSorted(byCreation).at(-1);
      return last === undefined ? undefined : toCurrentStep(last);
    },
    answer: (step) => step,
  });
}

const byCreation = (a: StepRecord, b: StepRecord): number =>
  a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);

const COLUMNS = without(COLUMN_NAMES.step, "result", "settledOrder", "version", "updatedAt");

const findLastStep = ({ isOurs }: FragmentHost, uow: WriteUow, ref: InstanceRef): WriteUow =>
  findOf(uow, "workflow_step", ref, {
    by: "idx_history",
    where: (is) => [is("runNumber", "=", currentRun(ref))],
    refine: (find) => {
      const steps = find.select(COLUMNS as never);
      // Fragno's own adapters have no tie-break.
      return isOurs ? steps.orderByIndex("idx_history" as never, "desc").pageSize(1) : steps;
    },
  });

function toCurrentStep(step: StepRecord): CurrentStep {
  const {
    result: _result,
    createdAt: _createdAt,
    updatedAt: _updatedAt,
    ...shown
  } = toStepView(step);
  return shown;
}
