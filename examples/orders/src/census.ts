/** How far the instances of a run are, read from the database itself. */
import type { EngineService, InstanceStatus, InstanceView } from "@escapement/engine";

type Reader = Pick<EngineService, "listInstances" | "listHistory">;

export interface Census {
  readonly complete: number;
  /** Ended otherwise. */
  readonly failed: number;
  /** For time or an approval. */
  readonly waiting: number;
  readonly running: number;
  readonly queued: number;
}

/** Instances of one run by id; those of other runs in the same database are left out. */
export async function loadInstances(
  engine: Reader,
  { idPrefix, count }: { readonly idPrefix: string; readonly count: number },
): Promise<ReadonlyMap<string, InstanceStatus>> {
  const found = new Map<string, InstanceStatus>();
  let cursor: string | undefined;
  do {
    const page = await engine.listInstances("order", {
      pageSize: 100,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const ours = page.instances.filter(({ id }: InstanceView) => id.startsWith(idPrefix));
    for (const { id, details } of ours) found.set(id, details);
    cursor = page.hasNextPage ? page.cursor : undefined;
  } while (cursor !== undefined && found.size < count);
  return found;
}

export function takeCensus(instances: ReadonlyMap<string, InstanceStatus>): Census {
  const counts = new Map<string, number>();
  for (const { status } of instances.values()) counts.set(status, (counts.get(status) ?? 0) + 1);
  const countOf = (...names: string[]): number =>
    names.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  return {
    complete: countOf("complete"),
    failed: countOf("errored", "terminated"),
    waiting: countOf("waiting", "waitingForPause", "paused"),
    running: countOf("running"),
    queued: countOf("queued"),
  };
}

export interface StepTotals {
  readonly completed: number;
  readonly attempts: number;
  /** Attempts that a kill cut off. */
  readonly lost: number;
}

/** Sums over the histories of instances. */
export async function sumHistories(engine: Reader, ids: Iterable<string>): Promise<StepTotals> {
  const totals = { completed: 0, attempts: 0, lost: 0 };
  for (const id of ids) {
    // An order has at most six steps: one page.
    const { steps } = await engine.listHistory("order", id, {});
    for (const step of steps) {
      if (step.status === "completed") totals.completed += 1;
      if (step.type !== "do") continue;
      totals.attempts += step.attempts + step.lostAttempts;
      totals.lost += step.lostAttempts;
    }
  }
  return totals;
}
