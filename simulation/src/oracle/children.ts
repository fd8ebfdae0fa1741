/** Children: started once for a step, by its own commit; their end is told once; and left as the step says. */
import { isDeepStrictEqual } from "node:util";
import { paramsOf } from "../author-leaves.ts";
import type { InvokeNode } from "../program.ts";
import type { ErrorShape, SettledWrite } from "../world/facts.ts";
import type { Child } from "../world/family.ts";
import type { Case, Judged } from "./check.ts";

/** @param model what the history of the parent comes to */
export function checkChildren(test: Case, model: Judged): void {
  const { report, run } = test;
  const children = report.family.of(run.runId);
  for (const child of children) checkStarted(test, child, model);
  checkIds(test);
  for (const step of report.books.outcomes.get(run.runId) ?? [])
    if (step.type === "invoke") checkTold(test, step, model);
  for (const child of children) checkLeft(test, child);
  checkToldOnce(test);
}

/** Author code has asked for this child, and the step has no other. */
function checkStarted({ report, run, fail }: Case, child: Child, model: Judged): void {
  const { key, stepKey, workflow, onParentEnd } = child;
  const others = report.family.of(run.runId, stepKey).length - 1;
  if (others > 0) fail("children", `${stepKey} has started ${others + 1} children`);
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
  for (const [step, ids] of report.family.ids) {
    if (!step.startsWith(`${run.runId} `)) continue;
    if (ids.size > 1) fail("children", `${step} has asked for the ids ${[...ids].join(", ")}`);
    for (const id of ids) {
      const owner = owners.get(id);
      if (owner !== undefined && !isOwn(id)) fail("children", `${step} and ${owner} ask for ${id}`);
      owners.set(id, step);
    }
  }
}

/** Chosen by the author. */
const isOwn = (id: string): boolean => id.startsWith("own");

/** What the step came to is the first end of its child. */
function checkTold(test: Case, step: SettledWrite, model: Judged): void {
  const { report, run, fail } = test;
  const { stepKey, status, error } = step;
  const [child] = report.family.of(run.runId, stepKey);
  const code = status === "completed" ? "none" : ((error as ErrorShape | null)?.code ?? "closed");
  if (code === "INSTANCE_ID_ALREADY_EXISTS") return checkRefused(test, stepKey, model);
  const kind = END_OF[code];
  if (kind === undefined) return;
  const end = child === undefined ? null : report.family.firstEndOf(child);
  if (child === undefined || end === null || end.kind !== kind)
    return fail("children", `${stepKey} was told of ${kind}, and its child ended ${end?.kind}`);
  if (kind !== "complete") return;
  const { instanceId, output } = JSON.parse(step.result ?? "{}") as Record<string, unknown>;
  const expected: unknown = JSON.parse(end.output ?? "null");
  if (instanceId !== child.instanceId || !isDeepStrictEqual(output ?? null, expected))
    fail("children", `${stepKey} was told ${step.result}, and ${child.key} gave ${end.output}`);
}

/** How a child has ended, by the code of its step's error. */
const END_OF: Readonly<Record<string, string>> = {
  none: "complete",
  CHILD_FAILED: "fail",
  CHILD_TERMINATED: "terminate",
};

/** Another instance has the id that the author chose. */
function checkRefused({ report, run, fail }: Case, stepKey: string, model: Judged): void {
  if (report.family.of(run.runId, stepKey).length > 0)
    fail("children", `${stepKey} was refused its id, and has a child`);
  if (model === null) return;
  const { workflow, ownId } = model.called.get(stepKey) as InvokeNode;
  const isTaken = report.instances.some(
    ({ workflowName, instanceId }) => workflowName === workflow && instanceId === ownId,
  );
  if (!isTaken) fail("children", `${stepKey} was refused the id ${ownId}, which nobody has`);
}

/** A child that its step does not wait for any more was asked to end, unless it had, or is to be abandoned. */
function checkLeft({ report, run, fail }: Case, child: Child): void {
  const { stepKey, key, onParentEnd } = child;
  if (onParentEnd === "abandon") return;
  const { books, family } = report;
  const step = books.outcomes.get(run.runId)?.find((one) => one.stepKey === stepKey);
  const code = (step?.error as ErrorShape | null | undefined)?.code ?? "closed";
  const wasTold = step?.status === "completed" || END_OF[code] !== undefined;
  const leftAt =
    books.settledAt.get(run.runId)?.get(stepKey) ??
    books.ends.get(run.runId)?.at ??
    books.releasedAt.get(run.runId);
  if (wasTold || leftAt === undefined) return;
  const end = family.firstEndOf(child);
  if (end !== null && end.at <= leftAt) return;
  const isAsked = [...books.asked].some(
    ([runId, { all }]) => runId.startsWith(`${key}/`) && all.has(onParentEnd),
  );
  if (!isAsked) fail("children", `${key} was left by ${stepKey}, and not asked to ${onParentEnd}`);
}

function checkToldOnce({ run, fail }: Case): void {
  const types = run.events.map(({ type }) => type).filter((type) => type.startsWith("child "));
  if (new Set(types).size < types.length) fail("children", "the end of a child was told twice");
}
