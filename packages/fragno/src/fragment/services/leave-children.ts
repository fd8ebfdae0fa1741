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
import { currentRun } from "./find-instance.ts";
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
  const among = (column: string): never => [ofChildren(ref, column)] as never;
  return uow
    .find("workflow_instance", (find) =>
      find.whereIndex("idx_parent", (is) =>
        is.and(
          is("parentWorkflowName", "=", ref.workflowName),
          is("parentInstanceId", "=", ref.instanceId),
          is("parentRunNumber", "=", currentRun(ref)),
        ),
      ),
    )
    .find("workflow_task", (find) =>
      find.whereIndex("unique_run", (is) =>
        is.and(
          is("workflowName", "in", among("workflowName")),
          is("instanceId", "in", among("instanceId")),
        ),
      ),
    ) as unknown as WriteUow;
}

function findParent(uow: WriteUow, ref: InstanceRef): WriteUow {
  const own = (column: string): never => ofInstance(ref, `i."${column}"`) as never;
  const event = ofInstance(ref, `'child ' || i."instanceId" || ' ' || i."parentStepKey"`) as never;
  // Fragno's builders have a type for each table.
  const ofRun = (is: typeof equals): never =>
    is.and(
      is("workflowName", "=", own("parentWorkflowName")),
      is("instanceId", "=", own("parentInstanceId")),
      is("runNumber", "=", own("parentRunNumber")),
    );
  return uow
    .find("workflow_instance", (find) => find.whereIndex("unique_instance", ofRun as never))
    .find("workflow_task", (find) => find.whereIndex("unique_run", ofRun as never))
    .find("workflow_step", (find) =>
      find
        .whereIndex("unique_step", (is) =>
          is.and(
            ofRun(is as never),
            is("stepKey", "=", own("parentStepKey")),
            is("status", "=", "waiting"),
            is("waitEventType", "=", event),
          ),
        )
        .select(["id"]),
    )
    .find("workflow_event", (find) =>
      find
        .whereIndex("idx_history", (is) => is.and(ofRun(is as never), is("eventId", "=", event)))
        .select(["id"]),
    ) as unknown as WriteUow;
}

/** What conditions are made with. */
declare const equals: ((column: string, operator: "=", value: never) => never) & {
  readonly and: (...terms: readonly never[]) => never;
};

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
