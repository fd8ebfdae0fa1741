/** The next state of a child whose parent no longer waits for it. `stores/sql/statements/leave-children.ts` says the same in SQL. */
import type { InstanceRecord } from "../model/records.ts";
import { isTerminal } from "../model/status.ts";
import { toEndRequest } from "./lifecycle.ts";

/** The child's next state: it is asked to end, and is due now unless a runner holds it, which then learns of the request. */
export interface LeftChild extends Pick<InstanceRecord, "status" | "endRequested"> {
  readonly pauseRequested: false;
  readonly isDue: boolean;
}

/** null: nothing changes, because the child is to continue or has ended. */
export function leaveChild({
  status,
  endRequested,
  parent,
}: Pick<InstanceRecord, "status" | "endRequested" | "parent">): LeftChild | null {
  if (parent === null || parent.onParentEnd === "abandon" || isTerminal(status)) return null;
  const isHeld = status === "running" || status === "waitingForPause";
  return {
    status: isHeld ? "running" : "queued",
    endRequested: toEndRequest({ asks: parent.onParentEnd, run: "same" }, endRequested),
    pauseRequested: false,
    isDue: !isHeld,
  };
}
