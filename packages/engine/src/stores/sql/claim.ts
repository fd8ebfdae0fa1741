/** `Store.claim`: due tasks, and all that their runs need, in one batch. */
import { earlier } from "../../core/decide/wake.ts";
import { instanceKey } from "../../core/model/instance-key.ts";
import type { JsonText, RunRef } from "../../core/model/records.ts";
import type { InstanceStatusName } from "../../core/model/status.ts";
import {
  type CallTicket,
  type ClaimedRun,
  type ClaimRequest,
  type ClaimResult,
  type NextDue,
  STARTING_TASK_HANDICAP_MS,
} from "../../ports/claim.ts";
import type { Row, Statement } from "@escapement/db";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import type { StatementSet } from "./statement-set.ts";
import { type EventPageRow, type OfTask, toRowsOf, toRunEvents } from "./records.ts";
import { type HistoryRow, toRunSteps } from "./step-rows.ts";

export interface ClaimedTaskRow {
  readonly id: string;
  readonly workflowName: string;
  readonly instanceId: string;
  readonly runNumber: number;
  /** Claims in a row without a commit, this one included. */
  readonly attempts: number;
  readonly priority: number;
  readonly runAtMs: number;
}

export interface ClaimedInstanceRow {
  readonly id: string;
  readonly workflowName: string;
  readonly instanceId: string;
  readonly params: JsonText | null;
  readonly createdAt: number;
  readonly pauseRequested: boolean | number;
  readonly status: InstanceStatusName;
  readonly startedAt: number;
  readonly updatedAt: number;
}

interface ClaimNextRow {
  readonly now: number;
  readonly nextDueAt: number | null;
  /** Of the leases of others. */
  readonly nextLeaseEndAt: number | null;
  /** A boolean on Postgres, 0 or 1 on SQLite. */
  readonly suspectDue: boolean | number;
}

export async function claimRuns(
  { database, statements }: SqlContext,
  { token, leaseMs, limit, workflowNames, suspects, formerRunnerId, life }: ClaimRequest,
): Promise<ClaimResult> {
  const treatment = suspects ?? "any";
  const names = toNames(workflowNames);
  const before =
    typeof formerRunnerId === "string"
      ? [statements.endFormerLeases(`${formerRunnerId}~`, toLifePrefix(formerRunnerId, life))]
      : [];
  const results = await applyBatch(database, [
    ...before,
    statements.claimTasks(token, leaseMs, limit, names, treatment),
    ...readClaimed(statements, token, limit === 1 ? "one" : "several"),
    // A claim of none has not found as many as it may: it looks for the next due time.
    statements.claimNext(names, token, limit || 1, treatment),
  ]);
  const rows = results.slice(before.length) as unknown as [
    ClaimedTaskRow[],
    ClaimedInstanceRow[],
    OfTask<HistoryRow>[],
    OfTask<EventPageRow>[],
    [ClaimNextRow],
  ];
  const [tasks, instances, steps, events, [next]] = rows;
  const runs = toClaimedRuns(token, [tasks, instances, steps, events]);
  return { ...toNextDue(next), runs, suspectDue: Boolean(next.suspectDue) };
}

/** The statement by which a call that claims its own run tells what comes next; null: it is not asked to. */
export function lookAhead({ claimNext }: StatementSet, claim: CallTicket | null): Statement | null {
  if (claim?.looksFor === undefined) return null;
  // One more than it may have claimed: it has not found as many as it asked for.
  return claimNext(toNames(claim.looksFor), claim.token, 2, "any");
}

const toNames = (workflowNames: readonly string[]): string =>
  JSON.stringify(workflowNames.map((name) => ({ name })));

/** Of the row of `claimNext`. */
export function toNextDue(row: Row | ClaimNextRow): NextDue {
  const { now, nextDueAt, nextLeaseEndAt } = row as ClaimNextRow;
  return { now, nextDueAt, nextWakeAt: earlier(nextDueAt, nextLeaseEndAt) };
}

/** Rows of a claim: tasks, and what `readClaimed` read of them. */
export type ClaimedRows = readonly [
  readonly ClaimedTaskRow[],
  readonly ClaimedInstanceRow[],
  readonly OfTask<HistoryRow>[],
  readonly OfTask<EventPageRow>[],
];

/** Statements that follow the one which took the tasks: mark the instances running and read what their runs need. */
export const readClaimed = (
  statements: StatementSet,
  token: string,
  most: "one" | "several",
): Statement[] => [
  statements.claimInstances(token),
  most === "one" ? statements.claimStepsOfOne(token) : statements.claimSteps(token),
  most === "one" ? statements.claimEventsOfOne(token) : statements.claimEvents(token),
];

/** Runs in the order of the claim. */
export function toClaimedRuns(
  token: string,
  [tasks, instances, steps, events]: ClaimedRows,
): readonly ClaimedRun[] {
  const instanceOf = new Map(instances.map((row) => [instanceKey(row), row]));
  const stepsOf = toRowsOf(steps);
  const eventsOf = toRowsOf(events);
  return tasks.toSorted(byClaimOrder).flatMap((task): ClaimedRun[] => {
    const instance = instanceOf.get(instanceKey(task));
    if (instance === undefined) return [];
    const { settled, open, stepsAfter } = toRunSteps(stepsOf(task.id));
    const page = toRunEvents(eventsOf(task.id));
    return [
      {
        lease: { taskId: task.id, token, instanceRowId: instance.id },
        run: toRunRef(task),
        params: instance.params,
        createdAt: instance.createdAt,
        settled,
        open,
        isWhole: stepsAfter === null,
        events: page.events,
        hasMoreEvents: page.hasMore,
        lostLeases: task.attempts - 1,
        pauseRequested: Boolean(instance.pauseRequested),
      },
    ];
  });
}

const toRunRef = ({ workflowName, instanceId, runNumber }: ClaimedTaskRow): RunRef => ({
  workflowName,
  instanceId,
  runNumber,
});

/** The order of the claim's statement, which RETURNING does not keep. */
const byClaimOrder = (a: ClaimedTaskRow, b: ClaimedTaskRow): number =>
  orderMs(a) - orderMs(b) ||
  b.priority - a.priority ||
  a.runAtMs - b.runAtMs ||
  (a.id < b.id ? -1 : 1);

const orderMs = (task: ClaimedTaskRow): number =>
  task.runAtMs + task.priority * STARTING_TASK_HANDICAP_MS;

/** No token begins with the separator alone. */
const toLifePrefix = (runnerId: string, life: string | undefined): string =>
  life === undefined ? "~" : `${runnerId}~${life}~`;
