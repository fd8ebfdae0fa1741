/** Runs that a command may make due which ends another run there and then: children that are to end, and the parent. */
import {
  type InstanceRecord,
  type InstanceRef,
  leaveChild,
  type RunRef,
  type StoreCommand,
} from "@escapement/engine/internal";
import { readInstance } from "../rows.ts";
import { currentRun, findRows } from "./find-instance.ts";
import type { Found, WriteUow } from "./operation.ts";

/** Queues the read of the children, which `toWoken` takes. */
export const findChildren = (uow: WriteUow, ref: InstanceRef): WriteUow =>
  findRows(uow, "workflow_instance", {
    by: "idx_parent",
    where: (is) => [
      is("parentWorkflowName", "=", ref.workflowName),
      is("parentInstanceId", "=", ref.instanceId),
      is("parentRunNumber", "=", currentRun(ref)),
    ],
  });

/** Whether a runner has them now is not asked: when the command applies it may have them no more. */
export function toWoken(
  [children = []]: Found,
  { parent }: InstanceRecord,
  command: StoreCommand,
): readonly RunRef[] {
  const left = children.map(readInstance).filter((child) => leaveChild(child) !== null);
  return [...left, ...(command === "terminate" && parent !== null ? [parent] : [])].map(
    ({ workflowName, instanceId, runNumber }) => ({ workflowName, instanceId, runNumber }),
  );
}
