/** Turns commits into the rows for each statement of a shared trip, without writes to other tables. Absent keys are null in the database. */
import { NEVER_AT } from "../../core/decide/park.ts";
import type { Commit, RunOutcome, StepsTrimmed } from "../../core/model/change.ts";
import { toCommitName } from "../../core/model/commit-name.ts";
import { toInstanceDetail } from "./instance-detail.ts";
import type { EventConsumedRow } from "./statements/commit-events.ts";
import type { FenceRow } from "./statements/commit-fence.ts";
import type { InstanceOutcomeRow } from "./statements/commit-instances.ts";
import type { LeaseKeptRow } from "./statements/commit-leases.ts";
import type { EventRepliedRow } from "./statements/commit-replies.ts";
import type { ScheduleRow } from "./statements/commit-schedule.ts";
import { toStepRow, type StepWriteRow } from "./step-columns.ts";
import type { TrimRow } from "./statements/commit-trims.ts";
import type { LeasedRow } from "./rows.ts";

/** Rows by statement; a statement without rows is not sent. */
export interface CommitRows {
  readonly fence: FenceRow[];
  readonly steps: StepWriteRow[];
  readonly events: EventConsumedRow[];
  readonly replies: EventRepliedRow[];
  readonly trims: TrimRow[];
  /** The runs whose loops remove rows. */
  readonly trimming: LeasedRow[];
  readonly instances: InstanceOutcomeRow[];
  readonly leases: LeaseKeptRow[];
  readonly schedule: ScheduleRow[];
  readonly mayBePaused: LeasedRow[];
  readonly ended: LeasedRow[];
}

export function toCommitRows(commits: readonly Commit[]): CommitRows {
  const rows: CommitRows = {
    fence: [],
    steps: [],
    events: [],
    replies: [],
    trims: [],
    trimming: [],
    instances: [],
    leases: [],
    schedule: [],
    mayBePaused: [],
    ended: [],
  };
  for (const commit of commits) {
    const lease: LeasedRow = commit.lease;
    for (const change of commit.changes) {
      if (change.kind === "step") rows.steps.push(toStepRow(lease, change));
      else if (change.kind === "eventConsumed")
        rows.events.push({ ...lease, eventId: change.eventId, stepKey: change.stepKey });
      else if (change.kind === "eventReplied")
        rows.replies.push({ ...lease, eventId: change.eventId, reply: change.reply });
      else if (change.kind === "stepsTrimmed") trim(rows, change, lease);
    }
    if (commit.outcome.kind === "continue") keepLease(rows, commit, lease);
    // The rest is in `retry-runs.ts`.
    else if (commit.outcome.kind === "retryRun") rows.fence.push(lease);
    else endLease(rows, { commit, lease, outcome: commit.outcome });
  }
  return rows;
}

function trim(rows: CommitRows, { stepKeys }: StepsTrimmed, lease: LeasedRow): void {
  for (const stepKey of stepKeys) rows.trims.push({ ...lease, stepKey });
  rows.trimming.push(lease);
}

function keepLease(rows: CommitRows, commit: Commit, lease: LeasedRow): void {
  const { readsEvents, knownEventSequence } = commit;
  rows.fence.push(readsEvents ? { ...lease, knownSequence: knownEventSequence } : lease);
  if (!changesLease(commit)) return;
  rows.leases.push({
    ...lease,
    ...present("leaseCount", commit.clearsLostLeases ? 1 : null),
    ...present("renewMs", commit.renewLeaseMs),
  });
}

/** Whether a commit renews the lease of a run that goes on, or resets the count of leases. */
export const changesLease = ({
  clearsLostLeases,
  renewLeaseMs,
}: Pick<Commit, "clearsLostLeases" | "renewLeaseMs">): boolean =>
  clearsLostLeases || renewLeaseMs !== null;

interface EndingCommit {
  readonly commit: Commit;
  readonly lease: LeasedRow;
  readonly outcome: Exclude<RunOutcome, { kind: "continue" | "retryRun" }>;
}

/** Whether a commit ends the lease but not the instance. The instance then has a task, unless a pause was requested. */
export const givesBack = ({ kind }: RunOutcome): boolean =>
  kind === "park" || kind === "release" || kind === "pause" || kind === "retryRun";

function endLease(rows: CommitRows, ending: EndingCommit): void {
  const { commit, lease, outcome } = ending;
  rows.fence.push(lease);
  (givesBack(outcome) ? rows.mayBePaused : rows.ended).push(lease);
  rows.instances.push(toInstanceRow(ending));
  const known = {
    knownSequence: commit.knownEventSequence,
    ...present("knownEndRequest", commit.knownEndRequest),
  };
  if (outcome.kind === "release" || outcome.kind === "pause") {
    rows.schedule.push({ ...lease, kind: "resume", dueInMs: 0, ...known });
  } else if (outcome.kind === "park") {
    const dueAt = outcome.at ?? (outcome.inMs === null ? NEVER_AT : null);
    const due = { ...present("dueAt", dueAt), ...present("dueInMs", outcome.inMs) };
    rows.schedule.push({ ...lease, kind: outcome.taskKind, ...due, ...known });
  }
}

const STATUS_AFTER = {
  park: "waiting",
  release: "queued",
  pause: "queued",
  complete: "complete",
  fail: "errored",
  terminate: "terminated",
} as const;

// Member by member, as for steps, because spreading costs ten times as much.
function toInstanceRow({ commit, lease, outcome }: EndingCommit): InstanceOutcomeRow {
  const error = "error" in outcome ? outcome.error : null;
  return {
    taskId: lease.taskId,
    token: lease.token,
    instanceRowId: lease.instanceRowId,
    toStatus: STATUS_AFTER[outcome.kind],
    yieldsToPause: givesBack(outcome),
    isTerminal: !givesBack(outcome),
    output: outcome.kind === "complete" ? (outcome.output ?? undefined) : undefined,
    errorName: error?.name,
    errorMessage: error?.message,
    errorDetail: toInstanceDetail(error, commit.diverged) ?? undefined,
    endedBy: toCommitName(commit),
  };
}

type Single<Key extends string, Value> = { readonly [K in Key]?: Value };

/** The key with its value, or nothing. */
const present = <Key extends string, Value>(key: Key, value: Value | null): Single<Key, Value> =>
  value === null ? {} : ({ [key]: value } as Single<Key, Value>);
