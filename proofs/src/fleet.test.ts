/** Twenty worker processes on one database, with 500 instances. */
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { createEngine, type Engine } from "@escapement/engine";
import { createSqlStore } from "@escapement/engine/store/sql";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { StepView } from "../../packages/engine/src/ports/instance-views.ts";
import { openDatabase } from "./subjects/open-database.ts";
import { serversOfToday, type SubjectKind } from "./subjects/test-database.ts";
import { findOverlaps, findRepeats, groupBy, startsByStep } from "./worker/effect-findings.ts";
import { type Effect, readEffects } from "./worker/effect-log.ts";
import { createFleetWorkflow, FLEET_STEPS } from "./worker/fleet-workflow.ts";
import { loadHistories, untilCompleted } from "./worker/fleet-progress.ts";
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
const MAX_MS = 600_000;

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
  const workers: Worker[] = [];
  // A test whose time is up goes no further: its processes would work on beside all later tests.
  onTestFinished(() => {
    for (const worker of workers) worker.kill("SIGKILL");
  });
  const subject = await kind.open();
  const directory = temporaryDirectory();
  const logPath = join(directory.path, "effects.log");
  const store = createSqlStore({ database: await openDatabase(subject.url) });
  const engine = createEngine({
    workflows: { FLEET: createFleetWorkflow({ ...options, logPath }) },
    store,
  });
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
      completed: () => untilCompleted(engine, INSTANCES),
      end: endAll,
      histories: () => loadHistories(engine, instanceIds),
    });
  } finally {
    await endAll();
    await store.close();
    await subject.remove();
    directory.remove();
  }
}

/**
 * How many later instances the process that started one had started before it, at most. Of others' order nothing can be
 * said: a process that gets no time keeps what it has claimed.
 */
function maxLateness(effects: readonly Effect[]): number {
  const firsts = effects.filter(
    ({ kind, stepKey }) => kind === "start" && stepKey === FLEET_STEPS[0],
  );
  expect(new Set(firsts.map(({ instanceId }) => instanceId)).size, "started").toBe(INSTANCES);
  const batchOf = ({ instanceId }: Effect): number =>
    Math.floor(instanceIds.indexOf(instanceId) / BATCH);
  const latenessOf = (own: readonly Effect[]): number[] =>
    own.map(
      (first, place) =>
        own.slice(0, place).filter((before) => batchOf(before) > batchOf(first)).length,
    );
  const byProcess = groupBy(firsts, ({ pid }) => String(pid));
  return Math.max(...[...byProcess.values()].flatMap(latenessOf));
}

describe.each<SubjectKind>(serversOfToday())("20 worker processes on $name", (kind) => {
  it.skipIf(!kind.isAvailable)(
    "S0-087 S0-088 S0-089 S0-094 S0-175 S2-042 advance 500 instances: each body runs once, one runner at a time, none starves",
    async () => {
      // Nobody dies here, and twenty processes on few cores may come late with a renewal: no lease is to end.
      await withFleet(kind, { leaseMs: MAX_MS, bodyMs: 0 }, async (fleet) => {
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
        // A process has as many runs under way as it has slots and claims as many ahead; what another one claimed ahead and
        // handed back, because it got no time, comes later still.
        expect(maxLateness(effects), "places lost").toBeLessThanOrEqual(BATCH / 2);
        for (const steps of (await fleet.histories()).values())
          for (const step of steps)
            expect(step).toMatchObject({ status: "completed", lostAttempts: 0 });
      });
    },
    MAX_MS,
  );

  it.skipIf(!kind.isAvailable)(
    "S0-001 S0-002 S0-090 S2-007 S4-048 survive the SIGKILL of half of them at random moments: no completed body again, attempts bounded, all complete",
    async () => {
      // Longer than a process may go without any time on few cores: only the killed are to lose their leases.
      await withFleet(kind, { leaseMs: 10_000, bodyMs: 30 }, async (fleet) => {
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
        for (const [id, steps] of await fleet.histories()) {
          for (const step of steps.filter(({ type }) => type === "do")) {
            const group = starts.get(`${id} ${step.stepKey}`) ?? [];
            const told = { id, step, group };
            expect(step.status, JSON.stringify(told)).toBe("completed");
            expect(step.attempts, JSON.stringify(told)).toBe(1);
            // The first body after a claim has no commit before it: that one start is booked on nobody.
            expect(group.length, JSON.stringify(told)).toBeLessThanOrEqual(step.lostAttempts + 2);
          }
        }
        const begunAgain = [...starts.values()].filter((group) => group.length > 1);
        expect(begunAgain.length, "bodies that a kill cut short").toBeGreaterThan(0);
      });
    },
    MAX_MS,
  );
});

/** Waits until the log has so many effects, or as many as the fleet has to do. */
async function untilStarts(fleet: Fleet, count: number): Promise<void> {
  const wanted = Math.min(count, INSTANCES * FLEET_STEPS.length);
  while (fleet.effects().length < wanted) await pause(10);
}
