/** What becomes of a child whose parent waits for it no more. `stores/sql/statements/leave-children.ts` says the same in SQL. */
import type { InstanceRecord } from "../model/records.ts";
import { isTerminal } from "../model/status.ts";
import { toEndRequest } from "./lifecycle.ts";

/** The child's next state: it is asked to end, and due unless a runner has it, which hears of it. */
export interface LeftChild extends Pick<InstanceRecord, "status" | "endRequested"> {
  readonly pauseRequested: false;
  readonly isDue: boolean;
}

/** null: it goes on, or has ended. */
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
