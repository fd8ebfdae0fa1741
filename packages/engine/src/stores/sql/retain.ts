/** Finds and deletes instances that ended long enough ago. Loaded with the first purge. */
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
import {
  emptyEvents,
  emptyProgress,
  emptySteps,
  emptyTopicWaits,
  EXPIRED_DELETES,
  findExpired,
  leaveRun,
  lockEmptied,
  lockExpired,
} from "./statements/retain.ts";

/** An instance that a walk looked at. Postgres gives numbers of 64 bits as text. */
interface LookedRow {
  readonly id: string;
  readonly instanceId: string;
  readonly at: number | string;
  readonly isDue: number;
  readonly rowCount: number | string | null;
  readonly childCount: number | string | null;
  readonly childRowCount: number | string | null;
}

/** One trip, each walk a statement of its own. */
export async function findExpiredInstances(
  { database, dialect }: SqlContext,
  walks: readonly RetainWalk[],
): Promise<{ readonly now: EpochMs; readonly pages: readonly ExpiredPage[] }> {
  const { clock, ...found } = await applyBatch<Record<string, Query<LookedRow>>>(database, {
    clock: { text: `select ${dialect.nowMs} as "at"`, values: [] },
    ...Object.fromEntries(
      walks.map(({ workflowName, status, after, keepMs }, index) => [
        `walk ${index}`,
        query<LookedRow>(
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

function toPage({ workflowName }: RetainWalk, rows: readonly LookedRow[]): ExpiredPage {
  const toPosition = ({ at, id }: LookedRow) => ({ at: Number(at), id });
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
  { instances, rules }: DeleteExpiredRequest,
): Promise<DeletedExpired> {
  const values = [JSON.stringify(instances), JSON.stringify(rules)] as const;
  const { locked, instances: gone } = await applyBatch(database, {
    locked: query<{ readonly id: string }>(dialect, lockExpired, ...values),
    topicWaits: query<never>(dialect, EXPIRED_DELETES.topicWaits, ...values),
    steps: query<never>(dialect, EXPIRED_DELETES.steps, ...values),
    events: query<never>(dialect, EXPIRED_DELETES.events, ...values),
    progress: query<never>(dialect, EXPIRED_DELETES.progress, ...values),
    instances: query<{ readonly id: string }>(dialect, EXPIRED_DELETES.instances, ...values),
  });
  return { count: gone.length, isTooLarge: locked.length > RETAIN_CHUNK.members };
}

export async function emptyExpiredInstance(
  { database, dialect }: SqlContext,
  { instance, rules }: EmptyExpiredRequest,
): Promise<boolean> {
  const { workflowName, instanceId } = instance;
  const values = [JSON.stringify([{ workflowName, instanceId }]), JSON.stringify(rules)] as const;
  const { locked } = await applyBatch(database, {
    locked: query<{ readonly id: string }>(dialect, lockEmptied, ...values),
    left: query<never>(dialect, leaveRun, ...values),
    topicWaits: query<never>(dialect, emptyTopicWaits, ...values),
    steps: query<never>(dialect, emptySteps, ...values),
    events: query<never>(dialect, emptyEvents, ...values),
    progress: query<never>(dialect, emptyProgress, ...values),
  });
  return locked.length > 0;
}
