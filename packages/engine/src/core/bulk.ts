/** Bulk jobs: one command for many instances, carried out by one of the engine's own workflows. */
import type { LifecycleCommand } from "./decide/lifecycle.ts";
import type { ErrorCode } from "./error-codes.ts";
import { type InstanceStatusName, isTerminal } from "./model/status.ts";

/** What a bulk job does to each instance: the same as the verb of that name. */
export type BulkAct = LifecycleCommand | "delete";

const LIVE = ["queued", "running", "waiting", "waitingForPause"] as const;
const ENDED = ["complete", "errored", "terminated"] as const;

/** The statuses of the instances that an act applies to. */
export const ACT_STATUSES: Readonly<Record<BulkAct, readonly InstanceStatusName[]>> = {
  retry: ["errored"],
  restart: [...LIVE, "paused", ...ENDED],
  pause: LIVE,
  resume: ["paused", "waitingForPause"],
  cancel: [...LIVE, "paused"],
  terminate: [...LIVE, "paused"],
  delete: ENDED,
};

/** Instances in these statuses change only on command. If one has changed since a job began, the job leaves it alone. */
export const AT_REST: readonly InstanceStatusName[] = [...ENDED, "paused"];

/** The error code with which an instance is refused; null: it is not refused. Its state may change before the act is carried out. */
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
