/** @module Retries commits that failed. Loaded with the first failed commit. */
import { WorkflowError } from "../core/errors.ts";
import type { Commit } from "../core/model/change.ts";
import type { CommitResult } from "../ports/commit.ts";
import type { Host } from "../ports/host.ts";
import type { Logger } from "../ports/logger.ts";
import { createTroubleLog } from "./trouble-log.ts";

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2000;

export interface FailedCommit {
  readonly commit: Commit;
  readonly error: unknown;
  /** By the monotonic clock of the process. */
  readonly giveUpAt: number;
}

/** @param send sends a commit once more */
export function createCommitRetries(
  { host, logger }: { readonly host: Host; readonly logger: Logger },
  send: (commit: Commit) => Promise<CommitResult>,
): (failed: FailedCommit) => Promise<CommitResult> {
  const log = createTroubleLog(logger, host);
  const sendAgain = async (commit: Commit): Promise<CommitResult> => {
    const result = await send({ ...commit, isRepeat: true });
    return result.kind === "committed" ? { ...result, isRepeated: true } : result;
  };
  const retry = async (failed: FailedCommit, delayMs: number): Promise<CommitResult> => {
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
  return (failed) => retry(failed, FIRST_RETRY_MS);
}
