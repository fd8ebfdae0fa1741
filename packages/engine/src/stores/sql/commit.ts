/** `Store.commit`: boundaries of many runs in one batch, each with its own lease as its fence. */
import type { Statement } from "@escapement/db/client";
import { late } from "../../core/late.ts";
import type { Change, Commit } from "../../core/model/change.ts";
import type { CommitResult } from "../../ports/commit.ts";
import { applyBatch, applyIfNew, type SqlContext } from "./apply-batch.ts";
import { type CommitRows, toCommitRows } from "./commit-rows.ts";
import type * as CommitChildren from "./commit-children.ts";
import type * as CommitTopics from "./commit-topics.ts";
import type { TopicStatements } from "./commit-topics.ts";
import type * as Progress from "./progress.ts";
import type * as RetryRuns from "./retry-runs.ts";
import { toResult } from "./commit-result.ts";
import {
  commitLoneStep,
  isInLoops,
  toFencingSteps,
  toFenceRows,
  toLoneStep,
} from "./commit-steps.ts";
import { groupByTask } from "./records.ts";
import type { Fenced, HeldStepRow, Query, ScheduledRow } from "./rows.ts";
import type { PreparedRows, RunStatements } from "./run-statements.ts";

const repeating = late(() => import("./commit-repeats.ts"));

/**
 * Applies commits in one trip. Commits that find no lease are looked at once more, because an earlier try with a lost answer
 * may have been applied. Repeats that would end a lease are also looked at before, because the claim may have been sent twice,
 * and a lease with the same token may exist again.
 */
export async function commitRuns(
  context: SqlContext,
  commits: readonly Commit[],
): Promise<readonly CommitResult[]> {
  const repeats = commits.filter(mayHaveEnded);
  if (repeats.length === 0) return commitFenced(context, commits);
  const { findEnded } = await repeating();
  const ended = await findEnded(context, repeats);
  const others = commits.filter((commit) => !ended.has(commit));
  const results = others.length === 0 ? [] : await commitFenced(context, others);
  return commits.map(
    (commit) => ended.get(commit) ?? results[others.indexOf(commit)] ?? { kind: "conflict" },
  );
}

/** Whether an earlier try of the commit may have ended its lease. */
const mayHaveEnded = ({ isRepeat, outcome }: Commit): boolean =>
  isRepeat === true && outcome.kind !== "continue";

async function commitFenced(
  context: SqlContext,
  commits: readonly Commit[],
): Promise<readonly CommitResult[]> {
  const results = await commitOnce(context, commits);
  const isMissing = results.some(({ kind }) => kind === "conflict");
  return isMissing ? (await repeating()).findRepeats(context, commits, results) : results;
}

/**
 * Sends only the statements that these commits need. Steps that should have no row are inserted. If one has a row after all,
 * everything is sent again with the statement that replaces rows.
 */
async function commitOnce(
  context: SqlContext,
  commits: readonly Commit[],
): Promise<readonly CommitResult[]> {
  const { database, statements, alongside } = context;
  const alone = toLoneStep(commits);
  if (alone !== null) return [await commitLoneStep(context, alone)];
  const goesAlong = numbered(alongside(commits));
  const ended = isNone(goesAlong) ? await completeAlone(context, commits) : null;
  if (ended !== null) return [ended];
  const rows = toCommitRows(commits);
  const rare = commits.every(isCommon) ? null : await loadRare(commits);
  const fencing = toFencingSteps(statements, commits);
  const topics = rare?.topics?.toTopicStatements(context.dialect, commits) ?? null;
  const others = toOtherStatements(context, { commits, rows, rare, topics, goesAlong });
  const batchWith = (steps: PreparedRows<HeldStepRow> | null) => ({
    fence: steps === null ? toFence(statements, rows) : null,
    fencingSteps: steps?.(rows.steps) ?? null,
    ...topics?.before,
    steps: steps === null ? writeSteps(statements, commits, rows) : null,
    ...others,
  });
  const insert = fencing?.insert ?? null;
  const asNew = insert === null ? null : await applyIfNew(database, batchWith(insert));
  const answers = asNew ?? (await applyBatch(database, batchWith(fencing?.upsert ?? null)));
  const fenceRows =
    fencing === null ? answers.fence : toFenceRows(rows.steps, answers.fencingSteps);
  const scheduled = [...answers.schedule, ...(answers.retriedTasks ?? [])];
  const results = toResults(commits, fenceRows, scheduled);
  return rare?.children?.withChildren(commits, results, answers.createdTasks) ?? results;
}

interface OtherParts {
  readonly commits: readonly Commit[];
  readonly rows: CommitRows;
  readonly rare: Rare | null;
  readonly topics: TopicStatements | null;
  readonly goesAlong: Readonly<Record<string, Query<never>>>;
}

/** The statements after those of the steps. */
const toOtherStatements = (
  { statements, dialect }: SqlContext,
  { commits, rows, rare, topics, goesAlong }: OtherParts,
) => ({
  events: write(statements.commitEvents, rows.events),
  replies: write(statements.commitReplies, rows.replies),
  ...trims(statements, rows),
  ...rare?.children?.toChildStatements(dialect, commits),
  ...topics?.after,
  ...rare?.made?.toProgressStatements(dialect, commits),
  ...rare?.retries?.toRetryStatements(dialect, commits),
  instances: write(statements.commitInstances, rows.instances),
  leases: write(statements.commitLeases, rows.leases),
  schedule: write(statements.commitSchedule, rows.schedule),
  ...goesAlong,
  paused: write(statements.commitPaused, rows.mayBePaused),
  ended: write(statements.commitEnded, rows.ended),
});

/** Whether a commit needs no code that is loaded late. */
const isCommon = ({ changes, outcome }: Commit): boolean =>
  outcome.kind !== "retryRun" &&
  changes.every((change) => COMMON.has(change.kind) && !isOfTopic(change));

const COMMON: ReadonlySet<Change["kind"]> = new Set([
  "step",
  "eventConsumed",
  "eventReplied",
  "stepsTrimmed",
]);

interface Rare {
  readonly children: typeof CommitChildren | null;
  readonly topics: typeof CommitTopics | null;
  readonly made: typeof Progress | null;
  readonly retries: typeof RetryRuns | null;
}

const loadRare = async (commits: readonly Commit[]): Promise<Rare> => ({
  children: await loadChildren(commits),
  topics: await loadTopics(commits),
  made: await loadProgress(commits),
  retries: await loadRetries(commits),
});

const isNone = (named: object): boolean => Object.keys(named).length === 0;

/** Names statements whose rows nobody reads. */
const numbered = (statements: readonly Statement[]): Readonly<Record<string, Query<never>>> =>
  Object.fromEntries(statements.map((statement, index) => [`alongside ${index}`, statement]));

const loneEnd = late(() => import("./commit-lone-end.ts"));

/** Commits a lone run that completes; null: it is not one, there is more to do, or the database cannot write in a WITH. */
const completeAlone = async (
  context: SqlContext,
  commits: readonly Commit[],
): Promise<CommitResult | null> =>
  context.writesInWith && commits.length === 1 && commits[0]?.outcome.kind === "complete"
    ? (await loneEnd()).commitLoneEnd(context, commits[0])
    : null;

const commitChildren = late(() => import("./commit-children.ts"));

/** Loads the code for children; null: the commits do not need it. */
export async function loadChildren(
  commits: readonly Commit[],
): Promise<typeof CommitChildren | null> {
  const has = ({ changes }: Commit): boolean => changes.some(({ kind }) => OF_CHILDREN.has(kind));
  return commits.some(has) ? commitChildren() : null;
}

const retryRuns = late(() => import("./retry-runs.ts"));

/** Loads the code for runs that begin again; null: the commits do not need it. */
const loadRetries = async (commits: readonly Commit[]): Promise<typeof RetryRuns | null> =>
  commits.some(({ outcome }) => outcome.kind === "retryRun") ? retryRuns() : null;

const progress = late(() => import("./progress.ts"));

/** Loads the code for progress; null: the commits do not need it. */
export const loadProgress = async (commits: readonly Commit[]): Promise<typeof Progress | null> =>
  commits.some(({ changes }) => changes.some(({ kind }) => kind === "progressMade"))
    ? progress()
    : null;

const commitTopics = late(() => import("./commit-topics.ts"));

/** Loads the code for topics; null: the commits do not need it. */
export async function loadTopics(commits: readonly Commit[]): Promise<typeof CommitTopics | null> {
  return commits.some(({ changes }) => changes.some(isOfTopic)) ? commitTopics() : null;
}

const isOfTopic = (change: Change): boolean =>
  change.kind === "messageEmitted" ||
  (change.kind === "step" && change.step.type === "waitForTopic");

const OF_CHILDREN: ReadonlySet<Change["kind"]> = new Set([
  "childCreated",
  "childReleased",
  "parentTold",
]);

/** Removes rows, after steps and events were written, because those may be removed at once. */
export const trims = (
  statements: RunStatements,
  rows: CommitRows,
): Readonly<Record<"trims" | "trimmedEvents", Query<never> | null>> => ({
  trims: write(statements.commitTrims, rows.trims),
  trimmedEvents: write(statements.commitTrimmedEvents, rows.trimming),
});

/** A statement over rows; null: there are no rows. */
export const write = <TRow>(
  statement: PreparedRows<TRow>,
  given: readonly object[],
): Query<TRow> | null => (given.length === 0 ? null : statement(given));

/** Writes steps after a fence. */
export const writeSteps = (
  statements: RunStatements,
  commits: readonly Commit[],
  { steps }: CommitRows,
): Query<never> | null =>
  write(commits.some(isInLoops) ? statements.commitStepsInLoops : statements.commitSteps, steps);

/** Locks the runs, and reads what their runners have to know next. */
export const toFence = (statements: RunStatements, { fence }: CommitRows): Query<Fenced> => {
  const readsEvents = fence.some((row) => row.knownSequence !== undefined);
  return readsEvents ? statements.commitFence(fence) : statements.commitFenceOnly(fence);
};

function toResults(
  commits: readonly Commit[],
  fenceRows: readonly Fenced[],
  scheduledRows: readonly ScheduledRow[],
): readonly CommitResult[] {
  const fenced = groupByTask(fenceRows);
  const dueAts = new Map(scheduledRows.map((row) => [row.id, row.dueAt]));
  return commits.map((commit) => toResult(commit, fenced.get(commit.lease.taskId) ?? [], dueAts));
}
