/** Makes the event by which a child's last commit tells the waiting step of its parent. Loaded when a child of this process first ends. */
import { toChildPayload } from "../core/child.ts";
import type { EndOutcome, ParentNotice } from "../core/model/change.ts";
import type { ParentRef } from "../core/model/records.ts";
import type { RunContext } from "./context.ts";

export const toParentNotice = (
  { host }: RunContext,
  parent: ParentRef,
  outcome: EndOutcome,
): ParentNotice => ({
  kind: "parentTold",
  parent,
  event: { rowId: host.newId(), payload: toChildPayload(outcome) },
});
