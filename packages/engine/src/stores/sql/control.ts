/** `Store.control` and `Store.sendEvent`: changes from outside, each in one batch that locks the task first. */
import { utf8Size } from "../../core/codec.ts";
import { LIFECYCLE } from "../../core/decide/lifecycle.ts";
import { isTerminal } from "../../core/model/status.ts";
import type {
  ControlRequest,
  ControlResult,
  SendEventRequest,
  SendEventResult,
} from "../../ports/store.ts";
import { applyBatch, type BatchRows, type SqlContext } from "./apply-batch.ts";
import { type ClaimedRows, lookAhead, readClaimed, toClaimedRuns, toNextDue } from "./claim.ts";
import { type InstanceRow, toInstanceRecord } from "./records.ts";

/** What `lockInstance` reads. */
interface LockedRow extends InstanceRow {
  readonly controlKey: string | null;
}

export async function controlInstance(
  { database, statements }: SqlContext,
  request: ControlRequest,
): Promise<ControlResult> {
  const { workflowName, instanceId, command, ifRunNumber, controlKey } = request;
  const { deleteTask, insertTask, updateInstance } = statements.control[command];
  const meant = [workflowName, instanceId, ifRunNumber, controlKey] as const;
  const results = await applyBatch(database, [
    statements.lockTask(workflowName, instanceId),
    statements.lockInstance(workflowName, instanceId),
    deleteTask(...meant),
    ...(insertTask === null ? [] : [insertTask(...meant, request.taskRowId)]),
    updateInstance(...meant),
  ]);
  const before = results[1]?.[0] as unknown as LockedRow | undefined;
  return toControlResult(
    request,
    before,
    results.at(-1)?.[0] as unknown as InstanceRow | undefined,
  );
}

function toControlResult(
  { command, ifRunNumber, controlKey }: ControlRequest,
  before: LockedRow | undefined,
  after: InstanceRow | undefined,
): ControlResult {
  if (before === undefined) return { kind: "notFound" };
  const instance = toInstanceRecord(after ?? before);
  if (controlKey !== null && before.controlKey === controlKey)
    return { kind: "applied", instance, woke: false };
  if (ifRunNumber !== null && ifRunNumber !== before.runNumber)
    return { kind: "runNumberMismatch", instance };
  const rule = LIFECYCLE[command];
  if (rule.refusedWhenTerminal && isTerminal(before.status)) return { kind: "terminal", instance };
  const woke = rule.transitions[before.status]?.task === "enqueue";
  return { kind: "applied", instance, woke };
}

export async function sendEvent(
  { database, statements }: SqlContext,
  request: SendEventRequest,
): Promise<SendEventResult> {
  const { workflowName, instanceId, eventRowId, type, payload, eventId, cap, claim } = request;
  const instance = [workflowName, instanceId] as const;
  const sizeBytes = payload === null ? 0 : utf8Size(payload);
  const event = [eventRowId, type, payload, eventId, sizeBytes] as const;
  const look = lookAhead(statements, claim);
  const results = await applyBatch(database, [
    statements.lockTask(...instance),
    statements.lockInstance(...instance),
    statements.insertEvent(...instance, ...event, cap.maxCount, cap.maxBytes),
    eventId === null
      ? statements.findEvent(...instance, eventRowId)
      : statements.findEventById(...instance, eventId, type, payload),
    ...(claim === null
      ? [statements.wakeTask(...instance, type, eventRowId)]
      : [
          statements.wakeAndClaimTask(...instance, type, eventRowId, claim.token, claim.leaseMs),
          ...readClaimed(statements, claim.token, "one"),
          ...(look === null ? [] : [look]),
        ]),
  ]);
  return toSendResult(claim, results);
}

function toSendResult(claim: SendEventRequest["claim"], results: BatchRows): SendEventResult {
  const [, [locked] = [], , [found] = [], ...woken] = results;
  if (locked === undefined) return { kind: "notFound" };
  const before = toInstanceRecord(locked as unknown as InstanceRow);
  if (found === undefined)
    return { kind: isTerminal(before.status) ? "terminal" : "eventLimit", instance: before };
  if (Number(found["isSame"]) !== 1) return { kind: "eventIdConflict", instance: before };
  const woke = (woken[0] ?? []).length > 0;
  if (claim === null) return { kind: "applied", instance: before, woke, run: null };
  const rows = woken as unknown as ClaimedRows;
  const [seen] = woken[4] ?? [];
  const next = seen === undefined ? undefined : toNextDue(seen);
  const [run = null] = toClaimedRuns(claim.token, rows);
  const [{ status, startedAt, updatedAt } = before] = rows[1];
  const instance = { ...before, status, startedAt, updatedAt };
  return { kind: "applied", instance, woke, run, next };
}
