/** `retryFailedStep` of Fragno's own workflows fragment: `retry`, at once or later, which says what step it is that runs again. */
import type { TxResult } from "@fragno-dev/db";
import {
  assertKnownOptions,
  type DurationMs,
  findReopened,
  type InstanceRecord,
  invalidField,
  isClosedStep,
  isScope,
  type StepRecord,
  toInstanceView,
} from "@escapement/engine/internal";
import type { InstanceView } from "@escapement/engine";
import { type FragnoRow, readStep } from "../rows.ts";
import { type Decided, decideChange, type Demand, writeChange } from "./control.ts";
import { findInstance, findTasks, parseRef } from "./find-instance.ts";
import { fileHook, type ServiceScope, toServiceCall, wake } from "./operation.ts";
import { findSteps } from "./reopen.ts";

/** When a failed step is to run again. */
export interface RetryFailedStepOptions {
  /** Milliseconds from the commit on, by the database's clock; at most 30 days. @default 0 */
  readonly delayMs?: DurationMs;
}

/** What a retry has opened. */
export interface RetriedStep {
  readonly accepted: true;
  readonly instance: InstanceView;
  /** The first step that the run failed by; null: it failed by none, and its code goes on over what completed. */
  readonly retry: {
    readonly stepKey: string;
    /** That it has had. */
    readonly attempts: number;
    /** That it is given again. */
    readonly maxAttempts: number;
    readonly delayMs: DurationMs;
  } | null;
}

const OPTIONS: Readonly<Record<keyof RetryFailedStepOptions, 1>> = { delayMs: 1 };
const MAX_DELAY_MS: DurationMs = 2_592_000_000;
const DEMAND: Demand = { command: "retry", ifRunNumber: null, controlKey: null };

export function retryFailedStep(
  scope: ServiceScope,
  workflowName: string,
  instanceId: string,
  options: RetryFailedStepOptions = {},
): TxResult<RetriedStep> {
  const { host } = scope;
  const parsed = parseRef(host, workflowName, instanceId);
  const delayMs = parseDelay(options);
  const enqueued = { ...parsed, reason: "resume" } as const;
  return toServiceCall(scope, {
    find: (uow) => findSteps(findTasks(findInstance(uow, parsed), parsed), parsed),
    decide: (found) => {
      const change = decideChange(found, parsed, { ...DEMAND, now: host.context.host.now() });
      const start = delayMs === 0 ? change.start : { inMs: delayMs };
      return { change: { ...change, start }, step: findFailed(change.record, change.steps) };
    },
    write: (uow, { change }) => {
      // What is refused otherwise has thrown: only errored instances are left.
      writeChange(host, uow, { ...(change as Decided), demand: DEMAND });
      fileHook(host, uow, enqueued, change.start);
    },
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
    committed: ({ change }) => wake(host, enqueued, change.start),
  });
}

/** @throws {WorkflowError} UNKNOWN_OPTION, INVALID_REQUEST */
function parseDelay(options: RetryFailedStepOptions): DurationMs {
  assertKnownOptions("retryFailedStep", options, OPTIONS);
  const { delayMs = 0 } = options;
  if (Number.isInteger(delayMs) && delayMs >= 0 && delayMs <= MAX_DELAY_MS) return delayMs;
  throw invalidField("delayMs", `a whole number from 0 to ${MAX_DELAY_MS}`);
}

/** The first of the steps that are open again which had failed: no scope, which fails with what is inside. */
function findFailed({ error }: InstanceRecord, rows: readonly FragnoRow[]): StepRecord | null {
  const failed = findReopened(error, rows.map(readStep)).filter(
    (step) => step.status === "errored" && !isClosedStep(step) && !isScope(step),
  );
  const [first = null] = failed.toSorted((a, b) => (a.settledOrder ?? 0) - (b.settledOrder ?? 0));
  return first;
}
