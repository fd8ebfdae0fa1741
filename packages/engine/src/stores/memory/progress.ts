/** Progress streams in memory. */
import { utf8Size } from "../../core/plain-codec.ts";
import type { Commit, ProgressMade } from "../../core/model/change.ts";
import { instanceKey } from "../../core/model/instance-key.ts";
import { PROGRESS_PAGE_BYTES, type ProgressRetention } from "../../core/progress.ts";
import type { ProgressPage, ReadProgressRequest } from "../../ports/progress.ts";
import type { MemoryEntry, MemoryState } from "./state.ts";

/** A commit that is repeated or late adds nothing. */
export function addProgress(state: MemoryState, commit: Commit): void {
  const made = commit.changes.filter((change) => change.kind === "progressMade");
  const [first] = made;
  if (first === undefined) return;
  const { lease, number: commitNumber, run } = commit;
  const { token } = lease;
  const key = instanceKey(run);
  const known = state.progress.get(key);
  if (known?.token === token && known.commitNumber >= commitNumber) return;
  const before = known?.entries ?? [];
  const newest = before.at(-1)?.sequence ?? 0;
  const added = made.map((change, index) =>
    toEntry(state, commit, { change, at: newest + 1 + index }),
  );
  const entries = keep([...before, ...added], first.retention);
  state.progress.set(key, { token, commitNumber, entries });
}

const toEntry = (
  state: MemoryState,
  { run: { runNumber } }: Commit,
  { change, at: sequence }: { readonly change: ProgressMade; readonly at: number },
): MemoryEntry => ({
  sequence,
  runNumber,
  stepKey: change.stepKey,
  attempt: change.attempt,
  createdAt: state.now(),
  value: change.value,
  sizeBytes: utf8Size(change.value),
});

/** Keeps the newest entries, up to the limits. */
function keep(
  entries: readonly MemoryEntry[],
  { maxEntries, maxBytes }: ProgressRetention,
): readonly MemoryEntry[] {
  let bytes = 0;
  const kept = entries.toReversed().filter(({ sizeBytes }, index) => {
    bytes += sizeBytes;
    return index === 0 || (index < maxEntries && bytes <= maxBytes);
  });
  return kept.toReversed();
}

export function readProgress(
  state: MemoryState,
  request: ReadProgressRequest,
): ProgressPage | null {
  const key = instanceKey(request);
  const instance = state.instances.get(key);
  if (instance === undefined) return null;
  const all = state.progress.get(key)?.entries ?? [];
  let bytes = 0;
  const entries = all
    .filter(({ sequence }) => sequence > request.after)
    .slice(0, request.limit)
    .filter(({ sizeBytes }, index) => {
      bytes += sizeBytes;
      return index === 0 || bytes <= PROGRESS_PAGE_BYTES;
    });
  return {
    status: instance.status,
    runNumber: instance.runNumber,
    newest: all.at(-1)?.sequence ?? 0,
    entries: entries.map(({ sizeBytes: _sizeBytes, ...entry }) => entry),
  };
}
