/** Children: started once for a step, by its own commit; their end is told once; and left as the step says. */
import { isDeepStrictEqual } from "node:util";
import { paramsOf } from "../author-leaves.ts";
import type { InvokeNode } from "../program.ts";
import type { ErrorShape, SettledWrite } from "../world/facts.ts";
import type { Child } from "../world/family.ts";
import type { Case, Judged } from "./case.ts";
import { isCopied, replayPast } from "./history.ts";

/** @param model what the history of the parent comes to */
export function checkChildren(test: Case, model: Judged): void {
  const { report, run } = test;
  const children = report.family.of(run.runId);
  const lives = (report.books.pastLives.get(run.runId) ?? []).map((past) => replayPast(test, past));
  for (const child of children) checkStarted(test, child, lives[child.life] ?? model);
  checkIds(test);
  for (const step of report.books.outcomes.get(run.runId) ?? [])
    if (step.type === "invoke" && !isCopied(test, step.stepKey)) checkTold(test, step, model);
  for (const child of children) checkLeft(test, child);
  checkToldOnce(test);
}

/** Author code has asked for this child, and the step has no other, unless it was opened again. */
function checkStarted({ report, run, fail }: Case, child: Child, model: Judged): void {
  const { key, stepKey, workflow, onParentEnd } = child;
  const same = report.family.of(run.runId, stepKey).filter(({ life }) => life === child.life);
  if (same.length > 1) fail("children", `${stepKey} has started ${same.length} children`);
  const instance = report.instances.find(
    ({ workflowName, instanceId }) => `${workflowName}/${instanceId}` === key,
  );
  if (instance?.parent?.stepKey !== stepKey || instance.parent.instanceId !== run.instanceId)
    fail("children", `${key} was started by ${stepKey}, and its row says otherwise`);
  const params: unknown = JSON.parse(instance?.params ?? "null");
  if (!isDeepStrictEqual(params, paramsOf(stepKey)))
    fail("children", `${key} was started by ${stepKey} with ${instance?.params}`);
  if (model === null) return;
  const leaf = model.called.get(stepKey);
  const isAsked =
    leaf?.kind === "invoke" && leaf.workflow === workflow && leaf.onParentEnd === onParentEnd;
  if (!isAsked) fail("children", `${stepKey} has started ${key}, and author code did not ask`);
}

/** Whoever plays a step, and however often, comes to the same id, and no two steps to one. */
function checkIds({ report, run, fail }: Case): void {
  const owners = new Map<string, string>();
  for (const { runId, stepKey, ids } of report.family.ids.values()) {
    if (runId !== run.runId) continue;
    if (ids.size > 1) fail("children", `${stepKey} has asked for the ids ${[...ids].join(", ")}`);
    for (const id of ids) {
      const owner = owners.get(id) ?? stepKey;
      if (owner !== stepKey && !isOwn(id))
        fail("children", `${stepKey} and ${owner} ask for ${id}`);
      owners.set(id, stepKey);
    }
  }
}

/** Chosen by the author. */
const isOwn = (id: string): boolean => id.startsWith("own");

/** What the step came to is the first end of its child. */
function checkTold(test: Case, step: SettledWrite, model: Judged): void {
  const { report, run, fail } = test;
  const { stepKey } = step;
  const child = report.family.of(run.runId, stepKey).at(-1);
  const code = codeOf(step);
  if (code === "INSTANCE_ID_ALREADY_EXISTS") return checkRefused(test, stepKey, model);
  const kind = END_OF[code];
  if (kind === undefined) return;
  const ends = child === undefined ? [] : report.family.endsOf(child);
  // While the parent had ended, nobody told it.
  const isReopened = report.books.reopeningsOf(run.runId) > 0;
  const end = isReopened ? ends.find((one) => one.kind === kind) : ends[0];
  if (child === undefined || end === undefined || end.kind !== kind)
    return fail("children", `${stepKey} was told of ${kind}, and its child ended ${end?.kind}`);
  if (kind !== "complete") return;
  const { instanceId, output } = JSON.parse(step.result ?? "{}") as Record<string, unknown>;
  const expected: unknown = JSON.parse(end.output ?? "null");
  if (instanceId !== child.instanceId || !isDeepStrictEqual(output ?? null, expected))
    fail("children", `${stepKey} was told ${step.result}, and ${child.key} gave ${end.output}`);
}

/** What an outcome says of the child. */
const codeOf = ({ status, error }: SettledWrite): string =>
  status === "completed" ? "none" : ((error as ErrorShape | null)?.code ?? "closed");

/** How a child has ended, by the code of its step's error. */
const END_OF: Readonly<Record<string, string>> = {
  none: "complete",
  CHILD_FAILED: "fail",
  CHILD_TERMINATED: "terminate",
};

/** Another instance has the id that the author chose. */
function checkRefused({ report, run, fail }: Case, stepKey: string, model: Judged): void {
  const life = report.books.settledUnder.get(run.runId)?.get(stepKey)?.reopenings;
  if (report.family.of(run.runId, stepKey).some((child) => child.life === life))
    fail("children", `${stepKey} was refused its id, and has a child`);
  if (model === null) return;
  const { workflow, ownId } = model.called.get(stepKey) as InvokeNode;
  const isTaken = report.instances.some(
    ({ workflowName, instanceId }) =>
      workflowName === workflow && (instanceId === ownId || instanceId.startsWith(`${ownId}-`)),
  );
  if (!isTaken) fail("children", `${stepKey} was refused the id ${ownId}, which nobody has`);
}

/** A child that its step does not wait for any more was asked to end, unless it had, or is to be abandoned. */
function checkLeft({ report, run, fail }: Case, child: Child): void {
  const { stepKey, key, onParentEnd, life } = child;
  if (onParentEnd === "abandon") return;
  const { books, family } = report;
  // What was left by a call that brought the run back was looked at then.
  const past = books.pastLives.get(run.runId)?.[life];
  const step = (past ?? books.outcomes.get(run.runId))?.find((one) => one.stepKey === stepKey);
  const wasTold = step !== undefined && END_OF[codeOf(step)] !== undefined;
  const leftAt =
    past === undefined
      ? (books.settledAt.get(run.runId)?.get(stepKey) ??
        books.ends.get(run.runId)?.at ??
        books.releasedAt.get(run.runId))
      : books.reopenedAt.get(run.runId);
  if (wasTold || leftAt === undefined) return;
  const end = family.firstEndOf(child);
  if (end !== null && end.at <= leftAt) return;
  if (!books.requests.wasMadeOf(key, onParentEnd))
    fail("children", `${key} was left by ${stepKey}, and not asked to ${onParentEnd}`);
}

function checkToldOnce({ run, fail }: Case): void {
  const types = run.events.map(({ type }) => type).filter((type) => type.startsWith("child "));
  if (new Set(types).size < types.length) fail("children", "the end of a child was told twice");
}
