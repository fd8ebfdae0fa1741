/** A run that is claimed with its creation: there is nothing to read of it. */
import { toEndRequestAt } from "../core/deadline.ts";
import { toLeaseToken } from "../core/lease.ts";
import type { EpochMs, JsonText, ParentRef } from "../core/model/records.ts";
import type { ClaimedRun, ClaimTicket } from "../ports/claim.ts";

/** What was created. */
export interface CreatedRun {
  readonly workflowName: string;
  readonly instanceId: string;
  readonly instanceRowId: string;
  readonly taskRowId: string;
  readonly params: JsonText | null;
  readonly createdAt: EpochMs;
  readonly startedAt: EpochMs;
  readonly parent: ParentRef | null;
  readonly deadlineAt: EpochMs | null;
  readonly traceContext?: string;
}

export const toNewRun = (created: CreatedRun, ticket: ClaimTicket): ClaimedRun => ({
  lease: {
    taskId: created.taskRowId,
    token: toLeaseToken(ticket.token, 1),
    instanceRowId: created.instanceRowId,
  },
  run: { workflowName: created.workflowName, instanceId: created.instanceId, runNumber: 1 },
  keyNumber: 1,
  retryCount: 0,
  params: created.params,
  createdAt: created.createdAt,
  startedAt: created.startedAt,
  isFirst: true,
  settled: [],
  open: [],
  isWhole: true,
  events: [],
  hasMoreEvents: false,
  lostLeases: 0,
  pauseRequested: false,
  endRequested: toEndRequestAt(
    { endRequested: null, deadlineAt: created.deadlineAt },
    created.startedAt,
  ),
  parent: created.parent,
  traceContext: created.traceContext ?? null,
});
