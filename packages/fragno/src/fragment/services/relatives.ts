/** Runs that may become due by a command that ends another run at once: children that are to end, and the parent. */
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

/** Queues the read of the children for `toWoken`. */
export const findChildren = (uow: WriteUow, ref: InstanceRef): WriteUow =>
  findRows(uow, "workflow_instance", {
    by: "idx_parent",
    where: (is) => [
      is("parentWorkflowName", "=", ref.workflowName),
      is("parentInstanceId", "=", ref.instanceId),
      is("parentRunNumber", "=", currentRun(ref)),
    ],
  });

/** It does not check whether a runner holds them now, because that may change before the command applies. */
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
