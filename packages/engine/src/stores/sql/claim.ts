/** `Store.claim`: due tasks, and everything that their runs need, in one batch. */
import { assertInvariant } from "../../core/errors.ts";
import { unlessNever } from "../../core/decide/park.ts";
import { earlier } from "../../core/decide/wake.ts";
import { toLeaseToken } from "../../core/lease.ts";
import { instanceKey } from "../../core/model/instance-key.ts";
import { TOPIC_TASKS } from "../../core/engine-names.ts";
import type { RunRef } from "../../core/model/records.ts";
import {
  type CallTicket,
  type ClaimedRun,
  type ClaimRequest,
  type ClaimResult,
  type NextDue,
  STARTING_TASK_HANDICAP_MS,
} from "../../ports/claim.ts";
import { toTopicRun } from "../../ports/topics.ts";
import { type Answers, applyBatch, type SqlContext } from "./apply-batch.ts";
import type { RunStatements } from "./run-statements.ts";
import { toParent, toRowsOf, toRunEvents } from "./records.ts";
import type {
  ClaimedInstanceRow,
  ClaimedTaskRow,
  ClaimNextRow,
  EventPageRow,
  HistoryRow,
  OfTask,
  Query,
} from "./rows.ts";
import { toRunSteps } from "./step-rows.ts";

export async function claimRuns(
  { database, statements }: SqlContext,
  { token, leaseMs, limit, workflowNames, suspects, formerRunnerId, life }: ClaimRequest,
): Promise<ClaimResult> {
  const treatment = suspects ?? "any";
  const names = toNames(workflowNames);
  const isBack = typeof formerRunnerId === "string";
  const claimed = await applyBatch(database, {
    former: isBack
      ? statements.endFormerLeases(`${formerRunnerId}~`, toLifePrefix(formerRunnerId, life))
      : null,
    tasks: statements.claimTasks(token, leaseMs, limit, names, treatment),
    ...readClaimed(statements, token, limit === 1 ? "one" : "several"),
    // A claim of zero runs always looks for the next due time.
    next: statements.claimNext(names, token, limit || 1, treatment),
  });
  const [told] = claimed.next;
  assertInvariant(told !== undefined, "a claim does not tell what comes next");
  const runs = toClaimedRuns(token, claimed);
  return { ...toNextDue(told), runs, suspectDue: Boolean(told.suspectDue) };
}

/** The statement that reports what is due next, for a call that claims its own run; null: the call does not ask for it. */
export function toNextDueQuery(
  { claimNext }: RunStatements,
  claim: CallTicket | null,
): Query<ClaimNextRow> | null {
  if (claim?.looksFor === undefined) return null;
  // Two, one more than the call can claim, so that it always looks for the next due time.
  return claimNext(toNames(claim.looksFor), claim.token, 2, "any");
}

/** Whether a claim would find something. Claims and locks nothing. */
export async function isAnyDue(
  { database, statements }: SqlContext,
  workflowNames: readonly string[],
): Promise<boolean> {
  const { found } = await applyBatch(database, {
    found: statements.findDue(toNames(workflowNames)),
  });
  return found[0]?.isDue === 1;
}

const toNames = (workflowNames: readonly string[]): string =>
  JSON.stringify(workflowNames.map((name) => ({ name })));

/** Reads the row of `claimNext`. */
export function toNextDue(row: ClaimNextRow): NextDue {
  const nextDueAt = unlessNever(row.nextDueAt);
  return { now: row.now, nextDueAt, nextWakeAt: earlier(nextDueAt, row.nextLeaseEndAt) };
}

/** The statements after the one that takes the tasks: they mark the instances as running and read what their runs need. */
export const readClaimed = (
  statements: RunStatements,
  token: string,
  most: "one" | "several",
): ReadClaimed => ({
  instances: statements.claimInstances(token),
  steps: most === "one" ? statements.claimStepsOfOne(token) : statements.claimSteps(token),
  events: most === "one" ? statements.claimEventsOfOne(token) : statements.claimEvents(token),
});

interface ReadClaimed {
  readonly instances: Query<ClaimedInstanceRow>;
  readonly steps: Query<OfTask<HistoryRow>>;
  readonly events: Query<OfTask<EventPageRow>>;
}

/** Rows of a claim: the tasks, and what `readClaimed` read for them. */
export type ClaimedRows = Answers<ReadClaimed> & { readonly tasks: readonly ClaimedTaskRow[] };

/** Makes the runs, in the order of the claim. */
export function toClaimedRuns(
  token: string,
  { tasks, instances, steps, events }: ClaimedRows,
): readonly ClaimedRun[] {
  const instanceOf = new Map(instances.map((row) => [instanceKey(row), row]));
  const stepsOf = toRowsOf(steps);
  const eventsOf = toRowsOf(events);
  return tasks.toSorted(byClaimOrder).flatMap((task): ClaimedRun[] => {
    const instance = instanceOf.get(instanceKey(task));
    if (instance === undefined) {
      const lease = { taskId: task.id, token: toLeaseToken(token, task.claimNumber) };
      return task.workflowName === TOPIC_TASKS ? [toTopicRun(lease, toRunRef(task))] : [];
    }
    const { settled, open, stepsAfter } = toRunSteps(stepsOf(task.id));
    const page = toRunEvents(eventsOf(task.id));
    return [
      {
        lease: {
          taskId: task.id,
          token: toLeaseToken(token, task.claimNumber),
          instanceRowId: instance.id,
        },
        run: toRunRef(task),
        keyNumber: instance.keyNumber,
        retryCount: instance.retryCount ?? 0,
        params: instance.params,
        createdAt: instance.createdAt,
        startedAt: instance.startedAt,
        isFirst: instance.startedAt === instance.updatedAt,
        settled,
        open,
        isWhole: stepsAfter === null,
        events: page.events,
        hasMoreEvents: page.hasMore,
        lostLeases: task.attempts - 1,
        pauseRequested: Boolean(instance.pauseRequested),
        endRequested: instance.endRequested,
        parent: toParent(instance),
        traceContext: instance.traceContext,
      },
    ];
  });
}

const toRunRef = ({ workflowName, instanceId, runNumber }: ClaimedTaskRow): RunRef => ({
  workflowName,
  instanceId,
  runNumber,
});

/** Restores the order of the claim's statement, which RETURNING does not keep. */
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
