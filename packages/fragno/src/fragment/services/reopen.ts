/** The steps that `retry` opens, in anybody's transaction, by `core/decide/reopen.ts`. */
import {
  type DurationMs,
  findReopened,
  type InstanceRecord,
  type InstanceRef,
  reopenStep,
  type StepRecord,
} from "@escapement/engine/internal";
import type { FragmentHost } from "../fragment-host.ts";
import { type FragnoRow, readStep } from "../rows.ts";
import { currentRun, findOf, only } from "./find-instance.ts";
import type { WriteUow } from "./operation.ts";

/** What is looked at of a step: no result, which may be long. */
const COLUMNS = [
  "id",
  "stepKey",
  "type",
  "status",
  "attempts",
  "maxAttempts",
  "settledOrder",
  "wakeAt",
  "errorName",
  "errorMessage",
  "errorDetail",
  "createdAt",
  "updatedAt",
];

/** Queues the read of the steps of an instance's present run. */
export const findSteps = (uow: WriteUow, ref: InstanceRef): WriteUow =>
  findOf(uow, "workflow_step", ref, {
    by: "unique_step",
    where: (is) => [is("runNumber", "=", currentRun(ref))],
    refine: only(...COLUMNS),
  });

/** Queues the writes of those that are to be open again. @param reopening.delayMs after which the run goes on */
export function reopenSteps(
  host: FragmentHost,
  uow: WriteUow,
  { error, steps, delayMs }: Reopening,
): void {
  const found = steps.map((row) => ({ row, ...readStep(row) }));
  for (const step of findReopened(error, found))
    uow.update("workflow_step", step.row.id, (update) =>
      update.set(toOpen(host, step, delayMs)).check(),
    );
}

interface Reopening extends Pick<InstanceRecord, "error"> {
  readonly steps: readonly FragnoRow[];
  readonly delayMs: DurationMs;
}

function toOpen(
  { sql }: FragmentHost,
  step: StepRecord,
  delayMs: DurationMs,
): Readonly<Record<string, unknown>> {
  // Reckoned from 0, so that what comes out is how long the database has to wait.
  const { nextRetryAt, wakeAt, error, keepsResult, ...open } = reopenStep(step, delayMs);
  const now = sql.now();
  const isMoved = wakeAt !== null && wakeAt !== step.wakeAt;
  return {
    ...open,
    nextRetryAt: nextRetryAt === null ? null : sql.later({ inMs: nextRetryAt }, "now"),
    ...(isMoved ? { wakeAt: sql.later({ inMs: wakeAt }, "now") } : {}),
    ...(keepsResult ? {} : { result: null }),
    ...(error === null ? { errorName: null, errorMessage: null, errorDetail: null } : {}),
    startedKeys: null,
    updatedAt: now,
  };
}
