/** The first statements of a change from outside: they lock a run's task and then its instance, and read the instance. */
import type { Dialect } from "@escapement/db/client";
import type { InstanceRef } from "../../core/model/instance-key.ts";
import { query } from "./late-statements.ts";
import type { LockedRow, Query } from "./rows.ts";
import { lockInstance, lockTask } from "./statements/lock.ts";

export interface Locking {
  readonly task: Query<{ readonly id: string }>;
  readonly locked: Query<LockedRow>;
}

export const toLocking = (
  dialect: Dialect,
  { workflowName, instanceId }: InstanceRef,
): Locking => ({
  task: query(dialect, lockTask, workflowName, instanceId),
  locked: query(dialect, lockInstance, workflowName, instanceId),
});
