/** Commits of all sessions of a process, in shared trips. */
import { late } from "../core/late.ts";
import type { Commit } from "../core/model/change.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { CommitResult } from "../ports/commit.ts";
import { type BatcherOptions, createBatcher } from "./batcher.ts";
import type { RunContext } from "../run/context.ts";
import { loadOrNull } from "../run/missing-code.ts";
import type { createCommitRetries, FailedCommit } from "./retry-commits.ts";

/** The most requests in one shared trip. */
const MAX_BATCH = 100;

/** How long to keep trying at least, even beyond the lease: the work is done, and perhaps nobody has taken the run. */
const PATIENCE_MS: DurationMs = 30_000;

export interface CommitsOptions extends Pick<RunContext, "store" | "host" | "logger" | "leaseMs"> {
  readonly enqueue?: BatcherOptions["enqueue"];
}

const retrying = late(() => import("./retry-commits.ts"));

/**
 * Creates the function that sessions commit with. While the database cannot be reached, it tries again with doubling delays of
 * up to two seconds, for half a minute or the lease's length. Then the run counts as lost (`conflict`), and the next claim
 * continues it. Repeating is safe: a commit has a fence, and the store recognises a commit that was applied.
 */
export function createCommits(options: CommitsOptions): (commit: Commit) => Promise<CommitResult> {
  const { store, host, leaseMs } = options;
  const send = createBatcher<Commit, CommitResult>((commits) => store.commit(commits), {
    maxInFlight: store.callsAtOnce ?? 2,
    maxBatch: MAX_BATCH,
    enqueue: options.enqueue,
  });
  let retry: ReturnType<typeof createCommitRetries> | null = null;
  const goOn = async (failed: FailedCommit): Promise<CommitResult> => {
    const code = await loadOrNull(retrying);
    if (code !== null) return (retry ??= code.createCommitRetries(options, send))(failed);
    const { commit, error } = failed;
    options.logger.log("error", "commit.failed", { ...commit.run, error: String(error) });
    return { kind: "conflict" };
  };
  return (commit) => {
    const giveUpAt = host.elapsedMs() + Math.max(leaseMs, PATIENCE_MS);
    return send(commit).catch((error: unknown) => goOn({ commit, error, giveUpAt }));
  };
}
