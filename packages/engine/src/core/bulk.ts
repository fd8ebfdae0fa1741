/** Bulk jobs: one command for many instances, carried out by a workflow of the engine's own. */
import type { LifecycleCommand } from "./decide/lifecycle.ts";
import type { ErrorCode } from "./error-codes.ts";
import { type InstanceStatusName, isTerminal } from "./model/status.ts";

/** What a bulk job does to each instance: as the verb of that name. */
export type BulkAct = LifecycleCommand | "delete";

const LIVE = ["queued", "running", "waiting", "waitingForPause"] as const;
const ENDED = ["complete", "errored", "terminated"] as const;

/** Statuses of the instances to which an act can be done. */
export const ACT_STATUSES: Readonly<Record<BulkAct, readonly InstanceStatusName[]>> = {
  retry: ["errored"],
  restart: [...LIVE, "paused", ...ENDED],
  pause: LIVE,
  resume: ["paused", "waitingForPause"],
  cancel: [...LIVE, "paused"],
  terminate: [...LIVE, "paused"],
  delete: ENDED,
};

/** In these an instance changes by nobody but who steers it: if it has changed since a job began, it is left alone. */
export const AT_REST: readonly InstanceStatusName[] = [...ENDED, "paused"];

/** Code of the error with which an instance is refused; null: it is not. What the act finds may be otherwise by then. */
export function findRefusal(
  act: BulkAct,
  {
    status,
    error,
  }: {
    readonly status: InstanceStatusName;
    readonly error: { readonly code?: string | null } | null;
  },
): ErrorCode | null {
  if (act === "retry" && (status !== "errored" || error?.code === "ROLLED_BACK"))
    return "INSTANCE_NOT_ERRORED";
  if (ACT_STATUSES[act].includes(status)) return null;
  if (act === "delete") return "INSTANCE_NOT_ENDED";
  return isTerminal(status) ? "INSTANCE_TERMINAL" : "STATUS_MISMATCH";
}
