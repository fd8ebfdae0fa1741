/** Finds and deletes instances that ended long enough ago. Loaded with the first purge. */
import type { InstanceRef } from "../../core/model/instance-key.ts";
import type { EpochMs } from "../../core/model/records.ts";
import {
  type DeletedExpired,
  type DeleteExpiredRequest,
  type EmptyExpiredRequest,
  type ExpiredPage,
  RETAIN_CHUNK,
  type RetainWalk,
} from "../../ports/retain.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { query } from "./late-statements.ts";
import type { Query } from "./rows.ts";
import { toDemand } from "./statements/demand.ts";
import { DEMANDED, ENDED, EXPIRED, findExpired } from "./statements/retain.ts";

/** An instance that a walk looked at. Postgres returns 64-bit numbers as text. */
interface ExpiredRow {
  readonly id: string;
  readonly instanceId: string;
  readonly at: number | string;
  readonly isDue: number;
  readonly rowCount: number | string | null;
  readonly childCount: number | string | null;
  readonly childRowCount: number | string | null;
}

/** Finds expired instances. One trip, with one statement per walk. */
export async function findExpiredInstances(
  { database, dialect }: SqlContext,
  walks: readonly RetainWalk[],
): Promise<{ readonly now: EpochMs; readonly pages: readonly ExpiredPage[] }> {
  const { clock, ...found } = await applyBatch<Record<string, Query<ExpiredRow>>>(database, {
    clock: { text: `select ${dialect.nowMs} as "at"`, values: [] },
    ...Object.fromEntries(
      walks.map(({ workflowName, status, after, keepMs }, index) => [
        `walk ${index}`,
        query<ExpiredRow>(
          dialect,
          findExpired,
          workflowName,
          status,
          after?.at ?? 0,
          after?.id ?? "",
          keepMs,
        ),
      ]),
    ),
  });
  return {
    now: Number(clock?.[0]?.at),
    pages: walks.map((walk, index) => toPage(walk, found[`walk ${index}`] ?? [])),
  };
}

function toPage({ workflowName }: RetainWalk, rows: readonly ExpiredRow[]): ExpiredPage {
  const toPosition = ({ at, id }: ExpiredRow) => ({ at: Number(at), id });
  const last = rows.at(-1);
  return {
    expired: rows
      .filter(({ isDue }) => isDue === 1)
      .map((row) => ({
        workflowName,
        instanceId: row.instanceId,
        rowCount: Number(row.rowCount),
        childCount: Number(row.childCount),
        childRowCount: Number(row.childRowCount),
      })),
    next: last === undefined || rows.length < RETAIN_CHUNK.looked ? null : toPosition(last),
  };
}

export async function deleteExpiredInstances(
  { database, dialect }: SqlContext,
  { instances, ...conditions }: DeleteExpiredRequest,
): Promise<DeletedExpired> {
  const { going, values } = toTerms(instances, conditions);
  const { weighed, instances: gone } = await applyBatch(database, {
    locked: query(dialect, going.lock, ...values),
    weighed: query<{ readonly isLight: number }>(dialect, going.weigh, ...values),
    topicWaits: query(dialect, going.topicWaits, ...values),
    steps: query(dialect, going.steps, ...values),
    events: query(dialect, going.events, ...values),
    progress: query(dialect, going.progress, ...values),
    instances: query<{ readonly id: string }>(dialect, going.instances, ...values),
  });
  return { count: gone.length, isTooLarge: weighed[0]?.isLight === 0 };
}

export async function emptyExpiredInstance(
  { database, dialect }: SqlContext,
  { instance: { workflowName, instanceId }, ...conditions }: EmptyExpiredRequest,
): Promise<boolean> {
  const { emptying, values } = toTerms([{ workflowName, instanceId }], conditions);
  const { locked } = await applyBatch(database, {
    locked: query<{ readonly id: string }>(dialect, emptying.lock, ...values),
    left: query(dialect, emptying.leaveRun, ...values),
    topicWaits: query(dialect, emptying.topicWaits, ...values),
    steps: query(dialect, emptying.steps, ...values),
    events: query(dialect, emptying.events, ...values),
    progress: query(dialect, emptying.progress, ...values),
  });
  return locked.length > 0;
}

/** The statements and their parameters. */
function toTerms(
  instances: readonly InstanceRef[],
  { rules, demand }: Omit<DeleteExpiredRequest, "instances">,
) {
  const refs = JSON.stringify(instances);
  if (rules !== null) return { ...EXPIRED, values: [refs, JSON.stringify(rules)] as const };
  return demand === undefined
    ? { ...ENDED, values: [refs] as const }
    : { ...DEMANDED, values: [refs, ...toDemand(demand)] as const };
}
