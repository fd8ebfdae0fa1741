/** Runs that fail as a whole and begin again: as often as their workflow says, and no sooner. */
import { isRollback } from "../model-outcome.ts";
import type { ErrorShape, RunEnd } from "../world/facts.ts";
import type { Case, Judged } from "./case.ts";
import { isCrashLoop } from "./ends.ts";

export function checkRunRetries(test: Case, model: Judged): void {
  const { report, run, fail } = test;
  const end = report.books.ends.get(run.runId);
  if (end === undefined) return;
  const plan = report.scenario.workflows.find(({ name }) => name === run.workflow)?.runRetries;
  const isAllowed = plan !== undefined && end.retryCount < plan.limit;
  if (end.kind === "fail" && end.told === null && isAllowed && isRetriable(end.error))
    fail("runs", `it failed with ${end.error?.name} after ${end.retryCount} retries, and for good`);
  if (end.kind !== "retry") return;
  if (!isAllowed) fail("runs", `it begins again after ${end.retryCount} retries`);
  if (end.told !== null) fail("runs", `it begins again, and was told of ${end.told}`);
  if (model !== null && model.end?.ok !== false)
    fail("runs", "it begins again, and has not failed by the model");
  // Under the same ones a service would answer with what is undone.
  if (model !== null && isRollback(model.end) !== end.hasNewKeys)
    fail("keys", `the next run has ${end.hasNewKeys ? "other keys" : "the same keys"}`);
  checkDelay(test, end, plan?.delayMs ?? 0);
}

/** A mistake of the code's, and what says that it is final, is final. */
const RETRIABLE: ReadonlySet<string> = new Set([
  "none",
  "STEP_FAILED",
  "STEP_MAX_ATTEMPTS_EXCEEDED",
  "EVENT_TIMEOUT",
  "CHILD_FAILED",
  "CHILD_TERMINATED",
]);

const isRetriable = (error: ErrorShape | null): boolean =>
  RETRIABLE.has(error?.code ?? "none") &&
  !isCrashLoop(error) &&
  !JSON.stringify(error).includes("NonRetryable");

/** The next run waits, unless it is asked to end meanwhile, or its deadline passes. */
function checkDelay({ report, run, fail }: Case, end: RunEnd, delayMs: number): void {
  const nextId = `${run.workflow}/${run.instanceId}/${run.runNumber + 1}`;
  const next = report.books.leases.find(({ runId }) => runId === nextId);
  if (next === undefined || report.books.requests.of(nextId) !== undefined) return;
  if (next.takenAt < end.at + delayMs)
    fail("runs", `its next run begins ${next.takenAt - end.at} ms after it, and not ${delayMs}`);
}
