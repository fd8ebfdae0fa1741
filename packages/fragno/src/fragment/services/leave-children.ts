/** What a command that ends a run there and then does to its children, and tells its parent, in anybody's transaction. */
import {
  INSTANCE,
  type InstanceRecord,
  type InstanceRef,
  isTerminal,
  leaveChild,
  type RunRef,
  type StoreCommand,
  toChildEvent,
  toFailedPayload,
  utf8Size,
} from "@escapement/engine/internal";
import { type SqlExpression, sqlExpression } from "../../adapter/sql-expression.ts";
import type { FragmentHost } from "../fragment-host.ts";
import { type FragnoRow, readInstance } from "../rows.ts";
import { newTask } from "./create.ts";
import { currentRun, findRows, type Is, only } from "./find-instance.ts";
import type { Found, WriteUow } from "./operation.ts";

/** What was read of them. */
export interface Family {
  readonly children: readonly FragnoRow[];
  readonly childTasks: readonly FragnoRow[];
  readonly parents: readonly FragnoRow[];
  readonly parentTasks: readonly FragnoRow[];
  /** Open waits of the parent for this child. */
  readonly waits: readonly FragnoRow[];
  /** The event that tells of it, if it is there. */
  readonly told: readonly FragnoRow[];
}

/** Queues the reads, which `toFamily` takes. */
export const findFamily = (uow: WriteUow, ref: InstanceRef): WriteUow =>
  findParent(findChildren(uow, ref), ref);

function findChildren(uow: WriteUow, ref: InstanceRef): WriteUow {
  const children = findRows(uow, "workflow_instance", {
    by: "idx_parent",
    where: (is) => [
      is("parentWorkflowName", "=", ref.workflowName),
      is("parentInstanceId", "=", ref.instanceId),
      is("parentRunNumber", "=", currentRun(ref)),
    ],
  });
  const among = (column: string): readonly SqlExpression[] => [ofChildren(ref, column)];
  return findRows(children, "workflow_task", {
    by: "unique_run",
    where: (is) => [
      is("workflowName", "in", among("workflowName")),
      is("instanceId", "in", among("instanceId")),
    ],
  });
}

function findParent(uow: WriteUow, ref: InstanceRef): WriteUow {
  const own = (column: string): SqlExpression => ofInstance(ref, `i."${column}"`);
  const event = ofInstance(ref, `'child ' || i."instanceId" || ' ' || i."parentStepKey"`);
  const ofRun = (is: Is): readonly unknown[] => [
    is("workflowName", "=", own("parentWorkflowName")),
    is("instanceId", "=", own("parentInstanceId")),
    is("runNumber", "=", own("parentRunNumber")),
  ];
  let found = findRows(uow, "workflow_instance", { by: "unique_instance", where: ofRun });
  found = findRows(found, "workflow_task", { by: "unique_run", where: ofRun });
  found = findRows(found, "workflow_step", {
    by: "unique_step",
    where: (is) => [
      ...ofRun(is),
      is("stepKey", "=", own("parentStepKey")),
      is("status", "=", "waiting"),
      is("waitEventType", "=", event),
    ],
    refine: only("id"),
  });
  return findRows(found, "workflow_event", {
    by: "idx_history",
    where: (is) => [...ofRun(is), is("eventId", "=", event)],
    refine: only("id"),
  });
}

/** @param found rows of `findFamily` */
export const toFamily = ([
  children = [],
  childTasks = [],
  parents = [],
  parentTasks = [],
  waits = [],
  told = [],
]: Found): Family => ({ children, childTasks, parents, parentTasks, waits, told });

/** Whether some of them may be due afterwards. */
export const hasRelatives = ({ children, waits }: Family): boolean =>
  children.length + waits.length > 0;

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

/** A column of all children of the instance. */
const ofChildren = ({ workflowName, instanceId }: InstanceRef, column: string): SqlExpression =>
  sqlExpression(
    [
      `select i."${column}" from ${INSTANCE} as i where i."parentWorkflowName" = `,
      ` and i."parentInstanceId" = `,
      ``,
    ],
    workflowName,
    instanceId,
  );

interface Leaving {
  readonly record: InstanceRecord;
  readonly command: StoreCommand;
  readonly family: Family;
}

/** Queues the writes. @returns runs that are due by them */
export function leaveFamily(
  host: FragmentHost,
  uow: WriteUow,
  { record, command, family }: Leaving,
): readonly RunRef[] {
  const left = family.children.flatMap((row) => leave(host, uow, row, family.childTasks) ?? []);
  const woken = command === "terminate" ? tellParent(host, uow, { record, family }) : null;
  return woken === null ? left : [...left, woken];
}

function leave(
  host: FragmentHost,
  uow: WriteUow,
  row: FragnoRow,
  tasks: readonly FragnoRow[],
): RunRef | null {
  const record = readInstance(row);
  const left = leaveChild(record);
  if (left === null) return null;
  const { isDue, ...after } = left;
  const now = host.sql.now();
  const task = tasks.find((one) => isOf(one, record));
  if (task !== undefined) {
    const due = isDue ? { kind: "resume", priority: 0, runAt: now } : {};
    uow.update("workflow_task", task.id, (update) =>
      update.set({ ...due, updatedAt: now }).check(),
    );
  }
  uow.update("workflow_instance", row.id, (update) =>
    update.set({ ...after, updatedAt: now }).check(),
  );
  if (!isDue) return null;
  const { workflowName, instanceId, runNumber } = record;
  const run = { workflowName, instanceId, runNumber };
  if (task === undefined)
    uow.create("workflow_task", {
      ...newTask(host.context.host.newId(), "resume"),
      ...run,
      runAt: now,
      createdAt: now,
      updatedAt: now,
    });
  return run;
}

const isOf = (row: FragnoRow, { workflowName, instanceId, runNumber }: RunRef): boolean =>
  row["workflowName"] === workflowName &&
  row["instanceId"] === instanceId &&
  row["runNumber"] === runNumber;

/** @returns the parent's run, if it is due by it */
function tellParent(
  host: FragmentHost,
  uow: WriteUow,
  { record, family }: Pick<Leaving, "record" | "family">,
): RunRef | null {
  const { parent } = record;
  const [row] = family.parents;
  if (parent === null || row === undefined || family.told.length > 0) return null;
  const { status, pauseRequested } = readInstance(row);
  if (isTerminal(status)) return null;
  const { workflowName, instanceId, runNumber } = parent;
  const run = { workflowName, instanceId, runNumber };
  const [task] = family.parentTasks;
  const wakes = status === "waiting" && task?.["status"] === "pending" && family.waits.length > 0;
  const now = host.sql.clock();
  if (task !== undefined) {
    const due = wakes ? { kind: "wake", priority: 0, runAt: now } : {};
    uow.update("workflow_task", task.id, (update) =>
      update.set({ ...due, updatedAt: now }).check(),
    );
  }
  uow.update("workflow_instance", row.id, (update) => update.set({ pauseRequested }).check());
  const type = toChildEvent(parent.stepKey, record.instanceId);
  const payload = toFailedPayload("terminated");
  uow.create("workflow_event", {
    id: host.context.host.newId(),
    ...run,
    type,
    eventId: type,
    payload,
    sizeBytes: utf8Size(payload),
    createdAt: now,
  });
  return wakes ? run : null;
}
