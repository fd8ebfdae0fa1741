/** Makes the result of a commit from what its fence has read. */
import type { Commit } from "../../core/model/change.ts";
import type { EventRecord } from "../../core/model/records.ts";
import type { CommitResult } from "../../ports/commit.ts";
import { givesBack } from "./commit-rows.ts";
import { toRunEvents } from "./records.ts";
import type { Fenced, FenceResultRow } from "./rows.ts";

/** Whether the fence read an event, and not only the lease. */
const hasEvent = (row: Fenced): row is FenceResultRow => row.id !== undefined && row.id !== null;

export function toResult(
  commit: Commit,
  fenceRows: readonly Fenced[],
  dueAts: ReadonlyMap<string, number>,
): CommitResult {
  const { lease, outcome, changes } = commit;
  const first = fenceRows[0];
  if (first === undefined) return { kind: "conflict" };
  const goesOn = outcome.kind === "continue";
  const dueAt = dueAts.get(lease.taskId) ?? null;
  const reads = commit.readsEvents && goesOn;
  const fresh = toRunEvents(reads ? fenceRows.filter(hasEvent) : []);
  // The fence reads events before this commit marks those that it consumes.
  const consumed = new Set(
    changes.map((change) => (change.kind === "eventConsumed" ? change.eventId : null)),
  );
  const isLeft = (event: EventRecord): boolean => !consumed.has(event.id);
  return {
    kind: "committed",
    now: first.now,
    pauseRequested: goesOn && Boolean(first.pauseRequested),
    endRequested: goesOn ? first.endRequested : null,
    paused: givesBack(outcome) && dueAt === null,
    events: fresh.events.filter(isLeft),
    hasMoreEvents: fresh.hasMore,
    dueAt,
  };
}
