/** `Store.restartOrCreate`: a create and a restart in one batch, of which one applies. Loaded with the first call. */
import type { Dialect } from "@escapement/db/client";
import { repetitionOf, withoutInputs } from "../../core/decide/demand.ts";
import { assertInvariant } from "../../core/errors.ts";
import type { RestartOrCreateRequest, RestartOrCreateResult } from "../../ports/control.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { queryRows, queryText as query } from "./late-statements.ts";
import { type Locking, toLocking } from "./locked.ts";
import { toLeavingStatements } from "./control-children.ts";
import { toInstanceRow, toTaskRow } from "./create.ts";
import { toInstanceRecord } from "./records.ts";
import type { InstanceRow, LockedRow, Query } from "./rows.ts";
import { controlStatements } from "./statements/control.ts";
import { insertInstances, insertTasks } from "./statements/create.ts";
import { toStatuses } from "./statements/demand.ts";
import { toGivenValues } from "./statements/update.ts";
import { replacing } from "./statements/restart-or-create.ts";

interface RestartOrCreateBatch extends Readonly<Record<string, Query<unknown> | null>>, Locking {
  readonly updated: Query<InstanceRow>;
}

/** The statements of a `restartOrCreate`. */
export function toRestartOrCreateBatch(
  dialect: Dialect,
  request: RestartOrCreateRequest,
): RestartOrCreateBatch {
  const { create, ifRunNumber, controlKey, taskRowId } = request;
  const { workflowName, instanceId, instanceRowId, params } = create;
  const demand = replacing(dialect);
  const texts = controlStatements(dialect, "restartWithNewKeys", demand);
  const meant = [workflowName, instanceId, ifRunNumber, withoutInputs(controlKey)] as const;
  const condition = [instanceRowId, toStatuses(request)] as const;
  return {
    created: queryRows(dialect, insertInstances, [toInstanceRow(create)]),
    started: queryRows(dialect, insertTasks, [toTaskRow(create)]),
    ...toLocking(dialect, create),
    deleted: query(texts.deleteTask, ...meant, ...condition),
    ...toLeavingStatements(dialect, {
      command: "restart",
      meant,
      eventRowId: taskRowId,
      condition: { textAt: (position) => demand.condition("i", position), values: condition },
    }),
    inserted: query(texts.insertTask ?? "", ...meant, taskRowId, ...condition),
    updated: query<InstanceRow>(
      texts.updateInstance,
      ...meant,
      ...condition,
      params,
      ...toGivenValues(create),
      controlKey,
    ),
  };
}

export async function restartOrCreate(
  { database, dialect }: SqlContext,
  request: RestartOrCreateRequest,
): Promise<RestartOrCreateResult> {
  const {
    locked: [before],
    updated: [after],
  } = await applyBatch(database, toRestartOrCreateBatch(dialect, request));
  assertInvariant(before !== undefined, "a created instance cannot be read");
  return toResult(request, before, after);
}

function toResult(
  request: RestartOrCreateRequest,
  before: LockedRow,
  after: InstanceRow | undefined,
): RestartOrCreateResult {
  const instance = toInstanceRecord(after ?? before);
  if (after !== undefined) return { kind: "restarted", instance, woke: true };
  if (before.id === request.create.instanceRowId) return { kind: "created", instance, woke: true };
  const repetition = repetitionOf(before, request);
  const kind = repetition === "repeated" ? "restarted" : (repetition ?? "unchanged");
  return { kind, instance, woke: false };
}
