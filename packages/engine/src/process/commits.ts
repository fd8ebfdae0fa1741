/** Commits of all sessions of a process, in shared trips. */
import { WorkflowError } from "../core/errors.ts";
import type { Commit } from "../core/model/change.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";
import type { Logger } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import type { CommitResult } from "../ports/commit.ts";
import { type BatcherOptions, createBatcher } from "./batcher.ts";
import { createTroubleLog } from "./trouble-log.ts";

/** Requests in one shared trip. */
const MAX_BATCH = 100;

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2000;

/** How long to go on trying at least: what is done is worth more than a lease, and nobody may have taken the run. */
const PATIENCE_MS: DurationMs = 30_000;

export interface CommitsOptions {
  readonly store: Store;
  readonly host: Host;
  readonly logger: Logger;
  readonly leaseMs: DurationMs;
  readonly enqueue?: BatcherOptions["enqueue"];
}

interface Failed {
  readonly commit: Commit;
  readonly error: unknown;
  /** By the monotonic clock of the process. */
  readonly giveUpAt: number;
}

/**
 * Creates the function that sessions commit with. While the database cannot be reached it tries again, with doubling
 * delays up to two seconds, for half a minute or the lease's length; then the run counts as lost (`conflict`), and whoever
 * claims it next goes on. Repeating is safe: a commit is fenced, and one that was applied is recognised.
 */
export function createCommits(options: CommitsOptions): (commit: Commit) => Promise<CommitResult> {
  const { store, host, leaseMs } = options;
  const log = createTroubleLog(options.logger, host);
  const send = createBatcher<Commit, CommitResult>((commits) => store.commit(commits), {
    maxInFlight: store.callsAtOnce ?? 2,
    maxBatch: MAX_BATCH,
    enqueue: options.enqueue,
  });
  const sendAgain = async (commit: Commit): Promise<CommitResult> => {
    const result = await send({ ...commit, isRepeat: true });
    return result.kind === "committed" ? { ...result, isRepeated: true } : result;
  };
  /** What becomes of a commit that has failed. */
  const retry = async (failed: Failed, delayMs: number): Promise<CommitResult> => {
    const { commit, error, giveUpAt } = failed;
    const mayRetry =
      WorkflowError.is(error) && error.retryable && host.elapsedMs() + delayMs < giveUpAt;
    const event = mayRetry ? "commit.retried" : "commit.failed";
    log(mayRetry ? "warn" : "error", event, { ...commit.run, error: String(error) });
    if (!mayRetry) return { kind: "conflict" };
    await new Promise<void>((resolve) => void host.setTimer(delayMs, resolve));
    return sendAgain(commit).catch((again: unknown) =>
      retry({ ...failed, error: again }, Math.min(LONGEST_RETRY_MS, delayMs * 2)),
    );
  };
  return (commit) => {
    const giveUpAt = host.elapsedMs() + Math.max(leaseMs, PATIENCE_MS);
    return send(commit).catch((error: unknown) =>
      retry({ commit, error, giveUpAt }, FIRST_RETRY_MS),
    );
  };
}
