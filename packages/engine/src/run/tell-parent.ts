/** What a child's last commit tells the step that waits for it. */
import { toChildPayload } from "../core/child.ts";
import type { ParentTold, RunOutcome } from "../core/model/change.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { RunContext } from "./context.ts";

/** Nothing, unless the run ends and is a child. */
export function toParentTold(
  { host }: RunContext,
  { parent }: ClaimedRun,
  outcome: RunOutcome,
): readonly ParentTold[] {
  const isEnd =
    outcome.kind === "complete" || outcome.kind === "fail" || outcome.kind === "terminate";
  if (parent === null || !isEnd) return [];
  const event = { rowId: host.newId(), payload: toChildPayload(outcome) };
  return [{ kind: "parentTold", parent, event }];
}
