/** `Store.control` and `Store.sendEvent`: changes from outside, each in one batch that locks the task first. */
import { LIFECYCLE } from "../../core/decide/lifecycle.ts";
import { isTerminal } from "../../core/model/status.ts";
import type {
  ControlRequest,
  ControlResult,
  SendEventRequest,
  SendEventResult,
} from "../../ports/store.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { type ClaimedRows, readClaimed, toClaimedRuns } from "./claim.ts";
import { type InstanceRow, toInstanceRecord } from "./records.ts";

export async function controlInstance(
  { database, statements }: SqlContext,
  { workflowName, instanceId, command, taskRowId }: ControlRequest,
): Promise<ControlResult> {
  const { deleteTask, insertTask, updateInstance } = statements.control[command];
  const results = await applyBatch(database, [
    statements.lockTask(workflowName, instanceId),
    statements.lockInstance(workflowName, instanceId),
    deleteTask(workflowName, instanceId),
    ...(insertTask === null ? [] : [insertTask(workflowName, instanceId, taskRowId)]),
    updateInstance(workflowName, instanceId),
  ]);
  const before = results[1]?.[0] as unknown as InstanceRow | undefined;
  if (before === undefined) return { kind: "notFound" };
  const rule = LIFECYCLE[command];
  if (rule.refusedWhenTerminal && isTerminal(before.status)) {
    return { kind: "terminal", instance: toInstanceRecord(before) };
  }
  const after = (results.at(-1)?.[0] as unknown as InstanceRow | undefined) ?? before;
  const woke = rule.transitions[before.status]?.task === "enqueue";
  return { kind: "applied", instance: toInstanceRecord(after), woke };
}

export async function sendEvent(
  { database, statements }: SqlContext,
  { workflowName, instanceId, eventRowId, type, payload, claim }: SendEventRequest,
): Promise<SendEventResult> {
  const wake =
    claim === null
      ? [statements.wakeTask(workflowName, instanceId, type)]
      : [
          statements.wakeAndClaimTask(workflowName, instanceId, type, claim.token, claim.leaseMs),
          ...readClaimed(statements, claim.token),
        ];
  const [, , ...results] = await applyBatch(database, [
    statements.lockTask(workflowName, instanceId),
    statements.insertEvent(workflowName, instanceId, eventRowId, type, payload),
    ...wake,
    statements.loadInstance(workflowName, instanceId),
  ]);
  const row = results.at(-1)?.[0] as unknown as InstanceRow | undefined;
  if (row === undefined) return { kind: "notFound" };
  const instance = toInstanceRecord(row);
  if (isTerminal(row.status)) return { kind: "terminal", instance };
  const [run = null] =
    claim === null ? [] : toClaimedRuns(claim.token, results as unknown as ClaimedRows);
  return { kind: "applied", instance, woke: (results[0] ?? []).length > 0, run };
}
