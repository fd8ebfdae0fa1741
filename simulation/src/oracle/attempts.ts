/** How often bodies ran, and what is said of it. */
import type { StepRecord } from "../world/engine-types.ts";
import type { Case, Judged } from "./case.ts";
import { isUndo, undoneBy, undoOf } from "./rollback.ts";

export function checkAttempts(test: Case, model: Judged): void {
  for (const step of test.run.steps) {
    // Of one that was there already when its run was brought back, the counts were another life's.
    const isKept = test.report.books.kept.get(test.run.runId)?.has(step.stepKey) === true;
    if (step.type !== "do" || isKept) continue;
    checkCounts(test, step);
    const leaf = leafOf(model, step.stepKey);
    if (leaf !== null && step.maxAttempts !== leaf.retries + 1)
      test.fail(
        "attempts",
        `${step.stepKey} may have ${step.maxAttempts} attempts, and was given ${leaf.retries} retries`,
      );
  }
}

/** The plan of a step, or of what undoes one. */
function leafOf(model: Judged, key: string): { readonly retries: number } | null {
  if (model === null) return null;
  if (isUndo(model, key)) return undoOf(model, undoneBy(key));
  const leaf = model.called.get(key);
  return leaf?.kind === "do" ? leaf : null;
}

function checkCounts({ report, run, fail }: Case, step: StepRecord): void {
  const { stepKey, attempts, lostAttempts, maxAttempts } = step;
  if (attempts > maxAttempts)
    fail("attempts", `${stepKey} has made ${attempts} of ${maxAttempts} attempts`);
  const life = report.books.reopeningsOf(run.runId);
  const starts = report.world
    .startsOf(run.runId, stepKey)
    .filter(({ lease }) => lease.reopenings === life);
  const ofRun = report.books.leases.filter(({ runId }) => runId === run.runId);
  const leases = ofRun.filter(({ reopenings }) => reopenings === life);
  // A runner may die between the commit that names a body and the body itself, whether another one takes the run over or
  // the run is ended from outside: nobody can know that it did not begin.
  const possible = leases
    .map(({ token, named, end, isRevoked }) => {
      const began = starts.filter(({ lease }) => lease.token === token).length;
      return (end === "takeover" || isRevoked) && named.has(stepKey) ? began + 1 : began;
    })
    .reduce((sum, count) => sum + count, 0);
  // A name that no row has taken the place of stays when the run is brought back.
  const before = ofRun.filter(
    ({ reopenings, end, isRevoked, named }) =>
      reopenings < life && (end === "takeover" || isRevoked) && named.has(stepKey),
  ).length;
  if (attempts + lostAttempts > possible + before)
    fail(
      "attempts",
      `${stepKey} says ${attempts} attempts and ${lostAttempts} lost ones, and began ${starts.length} times`,
    );
  // A body that begins while no result waits to be committed has neither name nor row, and a run that was taken away is
  // not written any more.
  const unknown = leases
    .filter(({ end, isRevoked }) => isRevoked || end !== "commit")
    .map(
      ({ token, named, isRevoked }) =>
        starts.filter(({ lease }) => lease.token === token).length -
        (isRevoked ? 0 : (named.get(stepKey)?.size ?? 0)),
    )
    .reduce((sum, count) => sum + Math.max(0, count), 0);
  // Code that allows fewer attempts than were made shows as many as it allows.
  const isCut = attempts === maxAttempts && wasDeployed(report, run.workflow);
  if (starts.length > attempts + lostAttempts + unknown && !isCut)
    fail(
      "attempts",
      `${stepKey} began ${starts.length} times, and says ${attempts} attempts and ${lostAttempts} lost ones`,
    );
}

const wasDeployed = ({ scenario }: Case["report"], workflow: string): boolean =>
  scenario.workflows.some(({ name, versions }) => name === workflow && versions.length > 1);
