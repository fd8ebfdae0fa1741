/** Notices if nothing drives the workflows, the usual reason why they seem stuck. */
import type { Database } from "@escapement/db";
import {
  type HostContext,
  INSTANCE,
  type Signal,
  type WakeHint,
} from "@escapement/engine/internal";

/** How long the first instance may stay untouched, in milliseconds. */
export const PATIENCE_MS = 30_000;

/** How many instances are looked at: where none of them was claimed, another one is not searched for among millions. */
const MAX_SCANNED = 1000;

export interface IdleWatch {
  readonly context: Pick<HostContext, "logger" | "slots">;
  /** Emitted when something becomes due in this process. */
  readonly work: Signal<WakeHint>;
  readonly database: Database;
}

/**
 * Warns once (`fragment.nothing_drives`) when the first instance that this process starts is still queued after
 * `PATIENCE_MS` and none of the first instances of this database was ever claimed. A processor that is behind or a database that was
 * driven before stay without a word. Costs one trip, in processes that run nothing themselves; none where a timer would
 * keep the process alive.
 */
export function warnWhenIdle({ context: { logger, slots }, work, database }: IdleWatch): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stopListening = work.on((hint) => {
    if (hint.reason !== "create") return;
    stopListening();
    timer = setQuietTimer(() => {
      stopWatching();
      void isIdle(database, hint).then((idle) => {
        if (idle) logger.log("warn", "fragment.nothing_drives", toFields(hint));
      });
    });
  });
  const stopWatching = slots.ended.on(() => {
    stopWatching();
    stopListening();
    clearTimeout(timer);
  });
}

/** A timer that does not keep the process alive; where that is impossible, the callback is not called. */
function setQuietTimer(callback: () => void): ReturnType<typeof setTimeout> | undefined {
  const timer: unknown = setTimeout(callback, PATIENCE_MS);
  if (typeof timer === "object" && timer !== null && "unref" in timer) {
    const quiet = timer as ReturnType<typeof setTimeout> & { unref(): void };
    quiet.unref();
    return quiet;
  }
  clearTimeout(timer as number);
  return undefined;
}

/** Also false if the database does not answer, which is reported elsewhere. */
async function isIdle(
  database: Database,
  { workflowName, instanceId }: WakeHint,
): Promise<boolean> {
  const { dialect } = database;
  const text =
    `select 1 from ${INSTANCE} as i where i."workflowName" = ${dialect.param(1)} ` +
    `and i."instanceId" = ${dialect.param(2)} and i."status" = 'queued' and i."startedAt" is null ` +
    `and not exists (select 1 from (select * from ${INSTANCE} order by "id" limit ${MAX_SCANNED}) as s where s."startedAt" <= s."updatedAt")`;
  try {
    const result = await database.batch([{ text, values: [workflowName, instanceId] }]);
    return result.kind === "committed" && result.rows[0]?.length === 1;
  } catch {
    return false;
  }
}

const toFields = ({ workflowName, instanceId }: WakeHint): Readonly<Record<string, unknown>> => ({
  workflowName,
  instanceId,
  queuedForMs: PATIENCE_MS,
  missing: "createDurableHooksProcessor([…]).startPolling(), its process() now and again, or ticks",
});
