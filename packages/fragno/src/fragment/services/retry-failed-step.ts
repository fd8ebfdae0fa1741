/** `retryFailedStep` of Fragno's own workflows fragment: `retry`, now or later, which also returns the step that runs again. */
import type { TxResult } from "@fragno-dev/db";
import {
  assertKnownOptions,
  type Command,
  type DurationMs,
  findReopened,
  type InstanceRecord,
  type InstanceRef,
  invalidField,
  isClosedStep,
  isScope,
  type StepRecord,
  TASK,
  toInstanceView,
} from "@escapement/engine/internal";
import type { InstanceView } from "@escapement/engine";
import type { Statement } from "@escapement/db/client";
import type { FragmentHost } from "../fragment-host.ts";
import { type FragnoRow, readStep } from "../rows.ts";
import { decideChange, toCommandBatch, writeChange } from "./control.ts";
import { currentRun, findInstance, findOf, only, parseRef } from "./find-instance.ts";
import { type ServiceScope, toServiceCall, type WriteUow } from "./operation.ts";

/** When a failed step is to run again. */
export interface RetryFailedStepOptions {
  /** Milliseconds from the commit, by the database's clock; at most 30 days. @default 0 */
  readonly delayMs?: DurationMs;
}

/** What a retry has reopened. */
export interface RetriedStep {
  readonly accepted: true;
  readonly instance: InstanceView;
  /** The first step that made the run fail; null: no step did, and its code continues after the completed ones. */
  readonly retry: {
    readonly stepKey: string;
    /** The attempts that it has had. */
    readonly attempts: number;
    /** The attempts that it is allowed now. */
    readonly maxAttempts: number;
    readonly delayMs: DurationMs;
  } | null;
}

const OPTIONS: Readonly<Record<keyof RetryFailedStepOptions, 1>> = { delayMs: 1 };
const MAX_DELAY_MS: DurationMs = 2_592_000_000;
const DEMAND: Command = { command: "retry", ifRunNumber: null, ifStatus: null, controlKey: null };

export function retryFailedStep(
  scope: ServiceScope,
  workflowName: string,
  instanceId: string,
  options: RetryFailedStepOptions = {},
): TxResult<RetriedStep> {
  const { host } = scope;
  const parsed = parseRef(host, workflowName, instanceId);
  const delayMs = parseDelay(options);
  return toServiceCall(scope, {
    find: (uow) => findSteps(findInstance(uow, parsed), parsed),
    decide: (found) => {
      const change = decideChange(found, parsed, { ...DEMAND, now: host.context.host.now() });
      const start = delayMs === 0 ? change.start : { inMs: delayMs };
      return { change: { ...change, start }, step: findFailed(change.record, found[1] ?? []) };
    },
    write: (uow, { change }) => {
      // Other statuses have been refused by now, so the instance is errored.
      const taskRowId = host.context.host.newId();
      writeChange(
        host,
        uow,
        { ...change, command: DEMAND.command },
        {
          ...toCommandBatch(host, parsed, { demand: DEMAND, taskRowId, delayMs }),
          delayed: delayMs === 0 ? null : delayTask(host, taskRowId, delayMs),
        },
      );
    },
    dues: ({ change: { start } }) => [{ ...parsed, reason: "resume", start }],
    answer: ({ change, step }): RetriedStep => ({
      accepted: true,
      instance: toInstanceView(change.after),
      retry: step && {
        stepKey: step.stepKey,
        attempts: step.attempts,
        maxAttempts: step.maxAttempts,
        delayMs,
      },
    }),
  });
}

/** @throws {WorkflowError} UNKNOWN_OPTION, INVALID_REQUEST */
function parseDelay(options: RetryFailedStepOptions): DurationMs {
  assertKnownOptions("retryFailedStep", options, OPTIONS);
  const { delayMs = 0 } = options;
  if (Number.isInteger(delayMs) && delayMs >= 0 && delayMs <= MAX_DELAY_MS) return delayMs;
  throw invalidField("delayMs", `a whole number from 0 to ${MAX_DELAY_MS}`);
}

const delayTask = (
  { dialect }: FragmentHost,
  taskRowId: string,
  delayMs: DurationMs,
): Statement => ({
  text: `update ${TASK} set "runAt" = ${dialect.plusMs(dialect.now, String(delayMs))} where "id" = ${dialect.param(1)}`,
  values: [taskRowId],
});

/** The columns of a step that are read, without the result, which may be long. */
const COLUMNS = [
  "id",
  "stepKey",
  "type",
  "status",
  "attempts",
  "maxAttempts",
  "settledOrder",
  "errorName",
  "errorMessage",
  "errorDetail",
];

/** Queues the read of the steps of an instance's current run. */
const findSteps = (uow: WriteUow, ref: InstanceRef): WriteUow =>
  findOf(uow, "workflow_step", ref, {
    by: "unique_step",
    where: (is) => [is("runNumber", "=", currentRun(ref))],
    refine: only(...COLUMNS),
  });

/** The first of the reopened steps that had failed; not a scope, which fails with what is inside. */
function findFailed({ error }: InstanceRecord, rows: readonly FragnoRow[]): StepRecord | null {
  const failed = findReopened(error, rows.map(readStep)).filter(
    (step) => step.status === "errored" && !isClosedStep(step) && !isScope(step),
  );
  const [first = null] = failed.toSorted((a, b) => (a.settledOrder ?? 0) - (b.settledOrder ?? 0));
  return first;
}
