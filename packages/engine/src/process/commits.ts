/** Commits of all sessions of a process, in shared trips. */
import { WorkflowError } from "../core/errors.ts";
import type { Commit } from "../core/model/change.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";
import type { Logger } from "../ports/logger.ts";
import type { CommitResult, Store } from "../ports/store.ts";
import { createBatcher } from "./batcher.ts";
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
  });
  const attempt = async (
    commit: Commit,
    delayMs: number,
    giveUpAt: number,
  ): Promise<CommitResult> => {
    try {
      if (delayMs === FIRST_RETRY_MS) return await send(commit);
      const result = await send({ ...commit, isRepeat: true });
      return result.kind === "committed" ? { ...result, isRepeated: true } : result;
    } catch (error) {
      const mayRetry =
        WorkflowError.is(error) && error.retryable && host.elapsedMs() + delayMs < giveUpAt;
      const event = mayRetry ? "commit.retried" : "commit.failed";
      log(mayRetry ? "warn" : "error", event, { ...commit.run, error: String(error) });
      if (!mayRetry) return { kind: "conflict" };
    }
    await new Promise<void>((resolve) => void host.setTimer(delayMs, resolve));
    return attempt(commit, Math.min(LONGEST_RETRY_MS, delayMs * 2), giveUpAt);
  };
  return (commit) =>
    attempt(commit, FIRST_RETRY_MS, host.elapsedMs() + Math.max(leaseMs, PATIENCE_MS));
}
