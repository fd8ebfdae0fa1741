/** Twenty worker processes on one database, with 500 instances. */
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { createEngine, type Engine, WorkflowError } from "@escapement/engine";
import { createSqlStore } from "@escapement/engine/store/sql";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StepView } from "../../packages/engine/src/ports/service.ts";
import { runLimited } from "./run-limited.ts";
import { openDatabase } from "./subjects/open-database.ts";
import { POSTGRES, SQLD, type SubjectKind } from "./subjects/test-database.ts";
import { type Effect, readEffects } from "./worker/effect-log.ts";
import { createFleetWorkflow, FLEET_STEPS, FLEET_WORKFLOW } from "./worker/fleet-workflow.ts";
import type { FleetJob } from "./worker/job.ts";
import {
  bundleWorker,
  spawnWorker,
  type Worker,
  type WorkerBundle,
} from "./worker/spawn-worker.ts";

const PROCESSES = 20;
const INSTANCES = 500;
const BATCH = 100;
/** Runs that one process advances at once. */
const CONCURRENCY = 8;
/** Of one proof. sqld took 15 s on a quiet machine and up to six times that on a busy one. */
const MAX_MS = 240_000;

const instanceIds = Array.from({ length: INSTANCES }, (_item, index) => `order-${index}`);

/** A fleet at work on one database, and what is known of it. */
interface Fleet {
  readonly engine: Engine;
  readonly workers: readonly Worker[];
  effects(): readonly Effect[];
  /** Starts another worker. */
  spawn(): void;
  /** Resolves when no instance is left that is not complete. */
  completed(): Promise<void>;
  /** Tells all workers to end, and waits. */
  end(): Promise<void>;
  histories(): Promise<ReadonlyMap<string, readonly StepView[]>>;
}

let bundle: WorkerBundle;
beforeAll(async () => {
  bundle = await bundleWorker();
});
afterAll(() => bundle.remove());

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function withFleet(
  kind: SubjectKind,
  options: Pick<FleetJob, "leaseMs" | "bodyMs">,
  use: (fleet: Fleet) => Promise<void>,
): Promise<void> {
  const subject = await kind.open();
  const directory = temporaryDirectory();
  const logPath = join(directory.path, "effects.log");
  const store = createSqlStore({ database: await openDatabase(subject.url) });
  const engine = createEngine({
    workflows: { FLEET: createFleetWorkflow({ ...options, logPath }) },
    store,
  });
  const workers: Worker[] = [];
  const job = {
    kind: "fleet",
    url: subject.url,
    logPath,
    concurrency: CONCURRENCY,
    pollMs: 500,
    ...options,
  } as const;
  const spawn = (): void => void workers.push(spawnWorker(bundle, job));
  for (let first = 0; first < INSTANCES; first += BATCH)
    await engine.workflows.FLEET.createBatch(
      instanceIds.slice(first, first + BATCH).map((id) => ({ id })),
    );
  for (let count = 0; count < PROCESSES; count += 1) spawn();
  const endAll = async (): Promise<void> => {
    for (const worker of workers) worker.kill("SIGTERM");
    await Promise.all(workers.map((worker) => worker.exited));
  };
  try {
    await use({
      engine,
      workers,
      spawn,
      effects: () => readEffects(logPath),
      completed: () => untilCompleted(engine),
      end: endAll,
      histories: () => loadHistories(engine),
    });
  } finally {
    await endAll();
    await store.close();
    await subject.remove();
    directory.remove();
  }
}

/** Asks for a page of each state but `complete` until all are empty. A server may refuse us while it is crowded. */
async function untilCompleted(engine: Engine): Promise<void> {
  try {
    await lookUntilCompleted(engine);
  } catch (error) {
    if (!WorkflowError.is(error) || !error.retryable) throw error;
    await pause(200);
    await untilCompleted(engine);
  }
}

async function lookUntilCompleted(engine: Engine): Promise<void> {
  for (const status of ["queued", "waiting", "running", "errored"] as const) {
    for (;;) {
      const { instances } = await engine.listInstances(FLEET_WORKFLOW, { status, pageSize: 1 });
      if (status === "errored") expect(instances).toEqual([]);
      if (instances.length === 0) break;
      await pause(200);
    }
  }
  // Instances move between states while we look.
  const complete = await countComplete(engine);
  if (complete < INSTANCES) await lookUntilCompleted(engine);
}

async function countComplete(engine: Engine): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await engine.listInstances(FLEET_WORKFLOW, {
      status: "complete",
      pageSize: 100,
      ...(cursor === undefined ? {} : { cursor }),
    });
    count += page.instances.length;
    ({ cursor } = page);
  } while (cursor !== undefined);
  return count;
}

async function loadHistories(engine: Engine): Promise<ReadonlyMap<string, readonly StepView[]>> {
  const histories = new Map<string, readonly StepView[]>();
  await runLimited(instanceIds, 4, async (id) => {
    histories.set(id, (await engine.listHistory(FLEET_WORKFLOW, id, {})).steps);
  });
  return histories;
}

const keyOf = ({ instanceId, stepKey }: Effect): string => `${instanceId} ${String(stepKey)}`;

function groupBy<T>(
  items: readonly T[],
  toKey: (item: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(toKey(item), [...(groups.get(toKey(item)) ?? []), item]);
  return groups;
}

const startsByStep = (effects: readonly Effect[]): ReadonlyMap<string, readonly Effect[]> =>
  groupBy(
    effects.filter((effect) => effect.kind === "start"),
    keyOf,
  );

/** Instances in which a body began while another process was inside a body of the same instance. */
function findOverlaps(effects: readonly Effect[]): readonly string[] {
  const inside = new Map<string, Effect>();
  const overlaps: string[] = [];
  for (const effect of effects) {
    if (effect.kind === "start") {
      const other = inside.get(effect.instanceId);
      if (other !== undefined) overlaps.push(`${keyOf(other)} and ${keyOf(effect)}`);
      inside.set(effect.instanceId, effect);
    }
    if (effect.kind === "end") inside.delete(effect.instanceId);
  }
  return overlaps;
}

/** Bodies that began after a runner had been told that their step's result is kept. */
function findRepeats(effects: readonly Effect[]): readonly string[] {
  const committed = new Set<string>();
  const repeats: string[] = [];
  for (const effect of effects) {
    if (effect.kind === "committed") committed.add(keyOf(effect));
    if (effect.kind === "start" && committed.has(keyOf(effect))) repeats.push(keyOf(effect));
  }
  return repeats;
}

/** How far instances were started out of the order in which they were created. */
function maxLateness(effects: readonly Effect[]): number {
  const firsts = effects.filter(
    ({ kind, stepKey }) => kind === "start" && stepKey === FLEET_STEPS[0],
  );
  const order = [...new Set(firsts.map((effect) => effect.instanceId))];
  expect(order, "every instance was started").toHaveLength(INSTANCES);
  return Math.max(
    ...order.map(
      (id, place) => place - Math.floor(instanceIds.indexOf(id) / BATCH) * BATCH - BATCH,
    ),
  );
}

describe.each<SubjectKind>([POSTGRES, SQLD])("20 worker processes on $name", (kind) => {
  it.skipIf(!kind.isAvailable)(
    "S0-087 S0-088 S0-089 S0-094 S0-175 S2-042 advance 500 instances: each body runs once, one runner at a time, none starves",
    async () => {
      await withFleet(kind, { leaseMs: 30_000, bodyMs: 0 }, async (fleet) => {
        await fleet.completed();
        await fleet.end();
        const effects = fleet.effects();
        expect(
          effects.filter((effect) => effect.kind === "conflict"),
          "stale commits",
        ).toEqual([]);
        const starts = startsByStep(effects);
        expect(starts.size).toBe(INSTANCES * FLEET_STEPS.length);
        expect(
          [...starts.values()].filter((group) => group.length > 1),
          "bodies that ran twice",
        ).toEqual([]);
        expect(findOverlaps(effects), "two runners in one instance").toEqual([]);
        // On few cores the work may be done before the last of them has claimed any.
        const workedCount = new Set(effects.map((effect) => effect.pid)).size;
        expect(workedCount, "processes that worked").toBeGreaterThanOrEqual(PROCESSES / 2);
        const moved = [...groupBy(effects, (effect) => effect.instanceId).values()].filter(
          (group) => new Set(group.map((effect) => effect.pid)).size > 1,
        );
        expect(moved.length, "instances that changed their process").toBeGreaterThan(0);
        // Each process may hold as many runs as it has slots while others overtake them.
        expect(maxLateness(effects), "places lost").toBeLessThanOrEqual(PROCESSES * CONCURRENCY);
        for (const steps of (await fleet.histories()).values())
          for (const step of steps)
            expect(step).toMatchObject({ status: "completed", lostAttempts: 0 });
      });
    },
    MAX_MS,
  );

  it.skipIf(!kind.isAvailable)(
    "S0-001 S0-002 S0-090 S2-007 survive the SIGKILL of half of them at random moments: no completed body again, attempts bounded, all complete",
    async () => {
      await withFleet(kind, { leaseMs: 2000, bodyMs: 15 }, async (fleet) => {
        const doomed = fleet.workers.slice(0, PROCESSES / 2);
        for (const worker of doomed) {
          await untilStarts(fleet, fleet.effects().length + randomInt(20, 120));
          worker.kill("SIGKILL");
        }
        await fleet.completed();
        await fleet.end();
        const exits = await Promise.all(doomed.map((worker) => worker.exited));
        expect(exits.map((exit) => exit.signal)).toEqual(doomed.map(() => "SIGKILL"));
        const effects = fleet.effects();
        const starts = startsByStep(effects);
        expect(findRepeats(effects), "completed bodies that ran again").toEqual([]);
        let lost = 0;
        for (const [id, steps] of await fleet.histories()) {
          for (const step of steps.filter(({ type }) => type === "do")) {
            const group = starts.get(`${id} ${step.stepKey}`) ?? [];
            const told = { id, step, group };
            expect(step.status, JSON.stringify(told)).toBe("completed");
            expect(step.attempts, JSON.stringify(told)).toBe(step.lostAttempts + 1);
            expect(step.attempts).toBeLessThanOrEqual(step.maxAttempts);
            expect(group.length, JSON.stringify(told)).toBeLessThanOrEqual(step.attempts);
            lost += step.lostAttempts;
          }
        }
        expect(lost, "kills that hit a step in flight").toBeGreaterThan(0);
      });
    },
    MAX_MS,
  );
});

/** Waits until the log has so many effects, or the fleet is done. */
async function untilStarts(fleet: Fleet, count: number): Promise<void> {
  for (let polls = 0; polls < 200 && fleet.effects().length < count; polls += 1) await pause(10);
}
