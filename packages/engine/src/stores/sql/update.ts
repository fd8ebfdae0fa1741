/** `Store.update` in one batch. Loaded with the first call. */
import type { Dialect } from "@escapement/db/client";
import { mismatchOf, repetitionOf, withoutInputs } from "../../core/decide/demand.ts";
import { isTerminal } from "../../core/model/status.ts";
import type { UpdateRequest, UpdateResult } from "../../ports/update.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { queryText as query } from "./late-statements.ts";
import { type Locking, toLocking } from "./locked.ts";
import { toInstanceRecord } from "./records.ts";
import type { InstanceRow, LockedRow, Query } from "./rows.ts";
import { toStatuses } from "./statements/demand.ts";
import { toGivenValues, updateGiven, wakeByDeadline } from "./statements/update.ts";

interface UpdateBatch extends Readonly<Record<string, Query<unknown>>>, Locking {
  readonly updated: Query<InstanceRow>;
  readonly woken: Query<{ readonly id: string }>;
}

/** The statements of an update. */
export function toUpdateBatch(
  dialect: Dialect,
  { workflowName, instanceId, ifRunNumber, controlKey, facts, ...demand }: UpdateRequest,
): UpdateBatch {
  const meant = [
    workflowName,
    instanceId,
    ifRunNumber,
    withoutInputs(controlKey),
    toStatuses(demand),
  ] as const;
  return {
    ...toLocking(dialect, { workflowName, instanceId }),
    updated: query<InstanceRow>(
      updateGiven(dialect),
      ...meant,
      ...toGivenValues(facts),
      controlKey,
    ),
    woken: query<{ readonly id: string }>(wakeByDeadline(dialect), workflowName, instanceId),
  };
}

export async function updateInstance(
  { database, dialect }: SqlContext,
  request: UpdateRequest,
): Promise<UpdateResult> {
  const {
    locked: [before],
    updated: [after],
    woken,
  } = await applyBatch(database, toUpdateBatch(dialect, request));
  if (before === undefined) return { kind: "notFound" };
  if (after === undefined) return toRefusal(request, before);
  return { kind: "applied", instance: toInstanceRecord(after), woke: woken.length > 0 };
}

function toRefusal(request: UpdateRequest, before: LockedRow): UpdateResult {
  const instance = toInstanceRecord(before);
  const repetition = repetitionOf(before, request);
  if (repetition === "keyConflict") return { kind: repetition, instance };
  if (repetition === "repeated") return { kind: "applied", instance, woke: false };
  const late = isTerminal(before.status) ? "terminal" : "deadlinePassed";
  return { kind: mismatchOf(before, request) ?? late, instance };
}
