/** Whom a command makes due that ends a run there and then: children that are to end, and the parent that waits for it. */
import {
  INSTANCE,
  type InstanceRecord,
  type InstanceRef,
  leaveChild,
  type RunRef,
  type StoreCommand,
} from "@escapement/engine/internal";
import { type SqlExpression, sqlExpression } from "../../adapter/sql-expression.ts";
import { readInstance } from "../rows.ts";
import { currentRun, findRows, type Is, only } from "./find-instance.ts";
import type { Found, WriteUow } from "./operation.ts";

/** Queues the reads, which `toWoken` takes. */
export const findRelatives = (uow: WriteUow, ref: InstanceRef): WriteUow =>
  findParent(
    findRows(uow, "workflow_instance", {
      by: "idx_parent",
      where: (is) => [
        is("parentWorkflowName", "=", ref.workflowName),
        is("parentInstanceId", "=", ref.instanceId),
        is("parentRunNumber", "=", currentRun(ref)),
      ],
    }),
    ref,
  );

/** The parent's run, if it waits, and its waits for this child. */
function findParent(uow: WriteUow, ref: InstanceRef): WriteUow {
  const own = (column: string): SqlExpression => ofInstance(ref, `i."${column}"`);
  const ofRun = (is: Is): readonly unknown[] => [
    is("workflowName", "=", own("parentWorkflowName")),
    is("instanceId", "=", own("parentInstanceId")),
    is("runNumber", "=", own("parentRunNumber")),
    is("status", "=", "waiting"),
  ];
  const event = ofInstance(ref, `'child ' || i."instanceId" || ' ' || i."parentStepKey"`);
  const parents = findRows(uow, "workflow_instance", {
    by: "unique_instance",
    where: ofRun,
    refine: only("id"),
  });
  return findRows(parents, "workflow_step", {
    by: "unique_step",
    where: (is) => [
      ...ofRun(is),
      is("stepKey", "=", own("parentStepKey")),
      is("waitEventType", "=", event),
    ],
    refine: only("id"),
  });
}

/** An expression over the row `i` of the instance. */
const ofInstance = ({ workflowName, instanceId }: InstanceRef, expression: string): SqlExpression =>
  sqlExpression(
    [
      `(select ${expression} from ${INSTANCE} as i where i."workflowName" = `,
      ` and i."instanceId" = `,
      `)`,
    ],
    workflowName,
    instanceId,
  );

/** @param found rows of `findRelatives` */
export function toWoken(
  [children = [], parents = [], waits = []]: Found,
  { parent }: InstanceRecord,
  command: StoreCommand,
): readonly RunRef[] {
  const left = children.map(readInstance).filter((child) => leaveChild(child)?.isDue === true);
  const isTold = command === "terminate" && parents.length > 0 && waits.length > 0;
  return [...left, ...(isTold && parent !== null ? [parent] : [])].map(
    ({ workflowName, instanceId, runNumber }) => ({ workflowName, instanceId, runNumber }),
  );
}
