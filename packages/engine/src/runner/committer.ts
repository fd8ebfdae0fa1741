/** Commits of all sessions of a process, in shared trips. */
import { WorkflowError } from "../core/errors.ts";
import type { Commit } from "../core/model/change.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";
import type { Logger } from "../ports/logger.ts";
import type { CommitResult, Store } from "../ports/store.ts";
import { createLane } from "./lane.ts";

/** Requests in one shared trip. */
const MAX_BATCH = 100;

const FIRST_RETRY_MS = 50;

export interface CommitterOptions {
  readonly store: Store;
  readonly host: Host;
  readonly logger: Logger;
  /** How long to go on trying while the database cannot be reached. */
  readonly leaseMs: DurationMs;
}

/**
 * Creates the function that sessions commit with. While the database cannot be reached it tries again, with doubling
 * delays, for as long as the lease may hold; then the run counts as lost (`conflict`), and whoever claims it next goes
 * on. Repeating is safe: a commit is fenced and writes the same rows again.
 */
export function createCommitter(
  options: CommitterOptions,
): (commit: Commit) => Promise<CommitResult> {
  const { store, host, logger, leaseMs } = options;
  const send = createLane<Commit, CommitResult>((commits) => store.commit(commits), {
    maxInFlight: store.callsAtOnce ?? 2,
    maxBatch: MAX_BATCH,
  });
  const attempt = async (
    commit: Commit,
    delayMs: number,
    giveUpAt: number,
  ): Promise<CommitResult> => {
    try {
      return await send(commit);
    } catch (error) {
      const mayRetry =
        WorkflowError.is(error) && error.retryable && host.now() + delayMs < giveUpAt;
      const event = mayRetry ? "commit.retried" : "commit.failed";
      logger.log(mayRetry ? "warn" : "error", event, { ...commit.run, error: String(error) });
      if (!mayRetry) return { kind: "conflict" };
    }
    await new Promise<void>((resolve) => void host.setTimer(delayMs, resolve));
    return attempt(commit, delayMs * 2, giveUpAt);
  };
  return (commit) => attempt(commit, FIRST_RETRY_MS, host.now() + leaseMs);
}
