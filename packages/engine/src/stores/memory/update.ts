import { notAfterDeadline, toDeadlineAt } from "../../core/deadline.ts";
import { toStartsAt } from "../../core/delayed-start.ts";
import { repetitionOf } from "../../core/decide/demand.ts";
import { refusalOfUpdate } from "../../core/decide/update.ts";
import { instanceKey } from "../../core/model/instance-key.ts";
import type { EpochMs } from "../../core/model/records.ts";
import type { RunFacts } from "../../ports/create.ts";
import type { UpdateRequest, UpdateResult } from "../../ports/update.ts";
import { type MemoryInstance, type MemoryState, taskOf, toRecord } from "./state.ts";

export function applyUpdate(state: MemoryState, request: UpdateRequest): UpdateResult {
  const { controlKey, facts } = request;
  const before = state.instances.get(instanceKey(request));
  if (before === undefined) return { kind: "notFound" };
  const instance = toRecord(before);
  const repetition = repetitionOf(before, request);
  if (repetition === "keyConflict") return { kind: repetition, instance };
  if (repetition === "repeated") return { kind: "applied", instance, woke: false };
  const refused = refusalOfUpdate(before, request, state.now());
  if (refused !== null) return { kind: refused, instance };
  const now = state.now();
  const isOverdue =
    before.startedAt !== null && before.startedAt <= now && toStartsAt(before) !== null;
  const after: MemoryInstance = {
    ...before,
    ...toGivenColumns(facts, now),
    // If it is after `updatedAt`, the run has not started yet.
    startedAt: isOverdue ? null : before.startedAt,
    controlKey: controlKey ?? before.controlKey,
    updatedAt: now,
  };
  state.instances.set(instanceKey(request), after);
  return { kind: "applied", instance: toRecord(after), woke: comeDue(state, after) };
}

/** The details as columns. */
export const toGivenColumns = (
  { deadline, tags, memo }: Partial<RunFacts>,
  now: EpochMs,
): Partial<Pick<MemoryInstance, "deadlineAt" | "tags" | "memo">> => ({
  ...(deadline === undefined ? {} : { deadlineAt: toDeadlineAt(deadline, now) }),
  ...(tags === undefined ? {} : { tags }),
  ...(memo === undefined ? {} : { memo }),
});

/**
 * A waiting run is due at its deadline at the latest, and a delayed run at the earlier of its start and deadline.
 *
 * @returns whether its due time changed
 */
function comeDue(state: MemoryState, instance: MemoryInstance): boolean {
  const task = taskOf(state, instance);
  if (task?.status !== "pending") return false;
  const dueAt = notAfterDeadline(toStartsAt(instance) ?? task.runAt, instance);
  if (dueAt === task.runAt) return false;
  state.tasks.set(task.id, { ...task, runAt: dueAt });
  return true;
}
