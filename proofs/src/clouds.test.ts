/** Two platforms on one database: processes of different adapters, each in its own runtime. */
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { createEngine, type Engine } from "@escapement/engine";
import { createSqlStore } from "@escapement/engine/store/sql";
import { ofToday, temporaryDirectory, today } from "@escapement-internal/test-servers";
import { describe, expect, it } from "vitest";
import { missingRuntime } from "../../runtime-tests/src/tools.ts";
import type { CloudJob, CloudName } from "./clouds/cloud-job.ts";
import { type Cloud, openCloud } from "./clouds/start-cloud.ts";
import { openDatabase } from "./subjects/open-database.ts";
import { POSTGRES, SQLD, type SubjectKind } from "./subjects/test-database.ts";
import { findRepeats, startsByStep } from "./worker/effect-findings.ts";
import { type Effect, readEffects } from "./worker/effect-log.ts";
import { countComplete, loadHistories, untilCompleted } from "./worker/fleet-progress.ts";
import { createFleetWorkflow, FLEET_STEPS, FLEET_WORKFLOW } from "./worker/fleet-workflow.ts";

const INSTANCES = 300;
const WAVES = 6;
/** Of one proof: they take 10 to 15 s on a quiet machine. */
const MAX_MS = 240_000;
const CONCURRENCY = 6;
const BODY_MS = 30;

const instanceIds = Array.from({ length: INSTANCES }, (_item, index) => `order-${index}`);

interface Pair {
  readonly kind: SubjectKind;
  /** The one that is killed, and to which the other one is drained. */
  readonly first: CloudName;
  readonly second: CloudName;
  /** Why it cannot run here. */
  readonly skip: string | null;
}

const PAIRS = ofToday<Pair>(
  [
    {
      kind: POSTGRES,
      first: "bun",
      second: "deno",
      skip: missingRuntime("deno") ?? missingRuntime("bun"),
    },
    {
      kind: SQLD,
      first: "aws-lambda",
      second: "node",
      skip: SQLD.isAvailable ? null : "sqld is not installed",
    },
  ],
  1,
  // The fleet of one platform meets the other server today.
  today() + 1,
);
for (const { first, second, skip } of PAIRS)
  if (skip !== null) console.warn(`two clouds, ${first} and ${second}: SKIPPED: ${skip}`);

interface Scene {
  readonly engine: Engine;
  readonly first: Cloud;
  readonly second: Cloud;
  effects(): readonly Effect[];
}

async function withClouds(
  { kind, first, second }: Pair,
  options: Pick<CloudJob, "leaseMs" | "napMs">,
  use: (scene: Scene) => Promise<void>,
): Promise<void> {
  const subject = await kind.open();
  const directory = temporaryDirectory();
  const logPath = join(directory.path, "effects.log");
  const job = { url: subject.url, logPath, concurrency: CONCURRENCY, bodyMs: BODY_MS, ...options };
  const store = createSqlStore({ database: await openDatabase(subject.url) });
  const workflows = { FLEET: createFleetWorkflow(job) };
  const engine = createEngine({ workflows, store });
  const clouds = await Promise.all([openCloud(first, job), openCloud(second, job)]);
  try {
    await Promise.all(clouds.map((cloud) => cloud.start()));
    const effects = (): readonly Effect[] => readEffects(logPath);
    await use({ engine, first: clouds[0], second: clouds[1], effects });
  } finally {
    await Promise.all(clouds.map((cloud) => cloud.remove()));
    await store.close();
    await subject.remove();
    directory.remove();
  }
}

const create = async (engine: Engine, ids: readonly string[]): Promise<void> => {
  for (let first = 0; first < ids.length; first += 100)
    await engine.createBatch(
      FLEET_WORKFLOW,
      ids.slice(first, first + 100).map((id) => ({ id })),
    );
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const startsOf = (effects: readonly Effect[], pid: number | undefined): readonly Effect[] =>
  effects.filter((effect) => effect.pid === pid && effect.kind === "start");

/** Waits until the process of a cloud has begun so many bodies, or nothing is left for it to do. */
async function untilBusy(
  scene: Scene,
  cloud: Cloud,
  count: number,
  created: number,
): Promise<void> {
  for (let looks = 1; ; looks += 1) {
    if (startsOf(scene.effects(), cloud.pids.at(-1)).length >= count) return;
    // The question is not cheap.
    if (looks % 50 === 0 && (await countComplete(scene.engine)) >= created) return;
    await pause(20);
  }
}

describe.each(PAIRS)("$first and $second on one database, $kind.name", (pair) => {
  it.skipIf(pair.skip !== null)(
    "S0-001 S0-002 S0-090 one of them is killed again and again: no completed body runs again, attempts are bounded, 300 instances complete",
    async () => {
      await withClouds(pair, { leaseMs: 2000, napMs: 20 }, async (scene) => {
        const { engine, first: doomed, second } = scene;
        const size = INSTANCES / WAVES;
        for (let wave = 1; wave <= WAVES; wave += 1) {
          await create(engine, instanceIds.slice((wave - 1) * size, wave * size));
          await untilBusy(scene, doomed, randomInt(1, 20), wave * size);
          await doomed.kill();
          await doomed.start();
        }
        await untilCompleted(engine, INSTANCES);
        await Promise.all([doomed.drain(), second.drain()]);
        const effects = scene.effects();
        expect(findRepeats(effects), "completed bodies that ran again").toEqual([]);
        const killed = doomed.pids.slice(0, -1).map((pid) => startsOf(effects, pid).length);
        expect(
          killed.filter((count) => count > 0).length,
          `kills in work: ${String(killed)}`,
        ).toBeGreaterThan(0);
        for (const cloud of [doomed, second])
          expect(cloud.pids.flatMap((pid) => startsOf(effects, pid)).length).toBeGreaterThan(0);
        const starts = startsByStep(effects);
        for (const [id, steps] of await loadHistories(engine, instanceIds)) {
          const bodies = steps.filter(({ type }) => type === "do");
          expect(bodies.map((step) => step.name)).toEqual(FLEET_STEPS);
          for (const step of bodies) {
            const group = starts.get(`${id} ${step.stepKey}`) ?? [];
            const told = JSON.stringify({ id, step, group });
            expect(step.status, told).toBe("completed");
            expect(step.attempts, told).toBe(1);
            expect(group.length, told).toBeGreaterThan(0);
            // The first body after a claim has no commit before it: that one start is booked on nobody.
            expect(group.length, told).toBeLessThanOrEqual(step.lostAttempts + 2);
          }
        }
      });
    },
    MAX_MS,
  );

  it.skipIf(pair.skip !== null)(
    "S0-001 S3-051 one of them is drained: what it had in flight ends on the other, each body once, no attempt lost",
    async () => {
      await withClouds(pair, { leaseMs: 30_000, napMs: 1000 }, async (scene) => {
        const { engine, first: rest, second: drained } = scene;
        // Most of it comes when both are at work, and sleeps on its way: when one goes, much of what it began is asleep.
        await create(engine, instanceIds.slice(0, 50));
        for (const cloud of [rest, drained]) await untilBusy(scene, cloud, 1, 50);
        await create(engine, instanceIds.slice(50));
        const begun = startsOf(scene.effects(), drained.pids[0]).length;
        await untilBusy(scene, drained, begun + 10, INSTANCES);
        await drained.drain();
        const before = scene.effects();
        const [pid] = drained.pids;
        const touched = new Set(startsOf(before, pid).map((effect) => effect.instanceId));
        await untilCompleted(engine, INSTANCES);
        await rest.drain();
        const effects = scene.effects();
        const later = effects.slice(before.length).filter((effect) => effect.kind === "start");
        const moved = new Set(
          later.map((effect) => effect.instanceId).filter((id) => touched.has(id)),
        );
        expect(moved.size, "instances that were in flight there").toBeGreaterThan(0);
        expect(later.filter((effect) => effect.pid === pid)).toEqual([]);
        const starts = startsByStep(effects);
        expect(starts.size).toBe(INSTANCES * FLEET_STEPS.length);
        const twice = [...starts.values()].filter((group) => group.length > 1);
        expect(twice, `bodies that ran twice; drained: ${String(pid)}`).toEqual([]);
        for (const steps of (await loadHistories(engine, instanceIds)).values())
          for (const step of steps)
            expect(step).toMatchObject({ status: "completed", lostAttempts: 0 });
      });
    },
    MAX_MS,
  );
});
