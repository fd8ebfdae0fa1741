/** @module Progress streams on a database. Loaded with the first entry or the first reader. */
import type { Dialect } from "@escapement/db/client";
import { utf8Size } from "../../core/plain-codec.ts";
import type { Commit } from "../../core/model/change.ts";
import type { InstanceStatusName } from "../../core/model/status.ts";
import type { ProgressRecord } from "../../core/progress.ts";
import type { ProgressPage, ReadProgressRequest } from "../../ports/progress.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { query, queryRows } from "./late-statements.ts";
import type { Query } from "./rows.ts";
import {
  type EntryRow,
  insertEntries,
  selectEntries,
  selectStream,
  type TrimmedStreamRow,
  trimStreams,
} from "./statements/progress.ts";

/** How many more entries a commit may remove than it adds. */
const MORE_TRIMMED = 100;

/** The statements that add a commit's entries, in their order, under names of their own. */
export function toProgressStatements(
  dialect: Dialect,
  commits: readonly Commit[],
): Readonly<Record<string, Query<never> | null>> {
  const entries: EntryRow[] = [];
  const trims: TrimmedStreamRow[] = [];
  for (const { lease, number: commitNumber, changes } of commits) {
    const made = changes.filter((change) => change.kind === "progressMade");
    for (const [place, { stepKey, attempt, rowId: id, value }] of made.entries()) {
      const sizeBytes = utf8Size(value);
      const row = { ...lease, commitNumber, place, id, stepKey, sizeBytes, value };
      entries.push(attempt === null ? row : { ...row, attempt });
    }
    const [first] = made;
    if (first !== undefined)
      trims.push({ ...lease, ...first.retention, most: made.length + MORE_TRIMMED });
  }
  return {
    "progress added": queryRows(dialect, insertEntries, entries),
    "progress trimmed": queryRows(dialect, trimStreams, trims),
  };
}

interface StreamRow {
  readonly status: InstanceStatusName;
  readonly runNumber: number;
  readonly newest: number;
}

/** Reads the state first, so that all entries of an ended run exist when the entries are read. */
export async function readProgress(
  { database, dialect }: SqlContext,
  { workflowName, instanceId, after, limit }: ReadProgressRequest,
): Promise<ProgressPage | null> {
  const ref = [workflowName, instanceId] as const;
  const {
    stream: [stream],
    entries,
  } = await applyBatch(database, {
    stream: query<StreamRow>(dialect, selectStream, ...ref),
    entries: query<ProgressRecord>(dialect, selectEntries, ...ref, after, limit),
  });
  return stream === undefined ? null : { ...stream, entries };
}
