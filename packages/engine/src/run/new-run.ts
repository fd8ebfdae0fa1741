/** A run that is claimed when it is created, so nothing has to be read. */
import { toEndRequestAt } from "../core/deadline.ts";
import { toLeaseToken } from "../core/lease.ts";
import type { InstanceRecord } from "../core/model/records.ts";
import type { ClaimedRun, ClaimTicket } from "../ports/claim.ts";
import type { NewInstance } from "../ports/create.ts";

/** What was created, as it was given. */
export type CreatedRun = Omit<NewInstance, "start" | "claim">;

/** The times of a create, by the database's clock. */
type CreatedAt = Pick<InstanceRecord, "createdAt" | "startedAt" | "deadlineAt">;

export const toNewRun = (
  created: CreatedRun,
  { createdAt, startedAt, deadlineAt }: CreatedAt,
  ticket: ClaimTicket,
): ClaimedRun => ({
  lease: {
    taskId: created.taskRowId,
    token: toLeaseToken(ticket.token, 1),
    instanceRowId: created.instanceRowId,
  },
  run: { workflowName: created.workflowName, instanceId: created.instanceId, runNumber: 1 },
  keyNumber: 1,
  retryCount: 0,
  params: created.params,
  createdAt,
  startedAt: startedAt ?? createdAt,
  isFirst: true,
  settled: [],
  open: [],
  isWhole: true,
  events: [],
  hasMoreEvents: false,
  lostLeases: 0,
  pauseRequested: false,
  endRequested: toEndRequestAt({ endRequested: null, deadlineAt }, startedAt ?? createdAt),
  parent: created.parent ?? null,
  traceContext: created.traceContext ?? null,
});
