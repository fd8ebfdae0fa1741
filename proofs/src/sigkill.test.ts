/** A worker process is killed at every boundary of a ten-step workflow; another one finishes it. */
import { join } from "node:path";
import { createEngine, type Engine, type InstanceStatus } from "@escapement/engine";
import { createSqlStore } from "@escapement/engine/store/sql";
import { ofToday, temporaryDirectory } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HistoryOutput } from "../../packages/engine/src/ports/instance-views.ts";
import {
  type VirtualClock,
  withVirtualClock,
} from "../../packages/engine/src/testing/virtual-clock.ts";
import { runLimited } from "./run-limited.ts";
import { openDatabase } from "./subjects/open-database.ts";
import {
  EMBEDDED,
  POSTGRES,
  type SubjectKind,
  type TestSubject,
} from "./subjects/test-database.ts";
import { type Effect, readEffects } from "./worker/effect-log.ts";
import { type TenStepsJob, TEN_STEPS_ID } from "./worker/job.ts";
import { describeKillPoint, type KillPoint, type Side } from "./worker/kill-points.ts";
import { bundleWorker, spawnWorker, type WorkerBundle } from "./worker/spawn-worker.ts";
import { createTenSteps, TEN } from "./worker/ten-steps.ts";

const LEASE_MS = 30_000;

/** Claim (or create), nine boundaries, finish. */
const BOUNDARIES = TEN + 1;
const range = (length: number): readonly number[] =>
  Array.from({ length }, (_item, index) => index + 1);

const pointsOf = (drive: TenStepsJob["drive"], sides: readonly Side[]): readonly KillPoint[] => [
  ...range(BOUNDARIES).flatMap((count) =>
    sides.map((side): KillPoint => ({ at: drive === "tick" ? "batch" : "write", count, side })),
  ),
  ...range(TEN).map((count): KillPoint => ({ at: "body", count })),
];

interface Scenario {
  readonly subject: TestSubject;
  readonly logPath: string;
  readonly point: KillPoint;
  readonly drive: TenStepsJob["drive"];
  readonly retriesLimit: number;
}

/** Keys of the steps that are completed in the database, and effects in the log, once the worker is dead. */
interface Scene {
  readonly completed: readonly string[];
  readonly effects: readonly Effect[];
}

interface Outcome {
  readonly atKill: Scene;
  readonly effects: readonly Effect[];
  readonly status: InstanceStatus;
  readonly history: HistoryOutput;
}

const nameOf = ({ drive, retriesLimit, point }: Scenario): string =>
  `ten-${drive}-${retriesLimit}-${describeKillPoint(point).replaceAll(" ", "-")}`;

/** Does something with an engine of this process, on the scenario's database and clock. */
async function withEngine<T>(
  scenario: Scenario,
  use: (engine: Engine, clock: VirtualClock) => Promise<T>,
): Promise<T> {
  const { database, clock } = await withVirtualClock(await openDatabase(scenario.subject.url));
  const store = createSqlStore({ database });
  const workflow = createTenSteps({ name: nameOf(scenario), ...scenario });
  try {
    return await use(
      createEngine({ workflows: { TEN: workflow }, store, leaseMs: LEASE_MS }),
      clock,
    );
  } finally {
    await store.close();
  }
}

/** Runs a worker up to the point at which it kills itself. */
function killWorker(scenario: Scenario): Promise<Scene> {
  const { subject, logPath, retriesLimit, point, drive } = scenario;
  const workflowName = nameOf(scenario);
  return withEngine(scenario, async (engine) => {
    if (drive === "tick") await engine.createInstance(workflowName, { id: TEN_STEPS_ID });
    const job = { workflowName, logPath, retriesLimit, point, drive };
    const exit = await spawnWorker(bundle, { kind: "ten-steps", url: subject.url, ...job }).exited;
    expect(exit, "the worker kills itself").toEqual({ code: null, signal: "SIGKILL", errors: "" });
    // The instance may not have come into being.
    await engine.createInstance(workflowName, { id: TEN_STEPS_ID, onExisting: "return" });
    const { steps } = await engine.listHistory(workflowName, TEN_STEPS_ID, {});
    const completed = steps.filter((step) => step.status === "completed");
    return { completed: completed.map((step) => step.stepKey), effects: readEffects(logPath) };
  });
}

/** Has another runner finish what the killed one left; its lease has ended. */
function finish(scenario: Scenario, atKill: Scene): Promise<Outcome> {
  const workflowName = nameOf(scenario);
  return withEngine(scenario, async (engine) => {
    await engine.tick();
    return {
      atKill,
      effects: readEffects(scenario.logPath),
      status: (await engine.getInstance(workflowName, TEN_STEPS_ID)).details,
      history: await engine.listHistory(workflowName, TEN_STEPS_ID, {}),
    };
  });
}

async function endLeases(subjects: readonly TestSubject[]): Promise<void> {
  for (const subject of subjects) {
    const { database, clock } = await withVirtualClock(await openDatabase(subject.url));
    await clock.advance(LEASE_MS + 1);
    await database.close();
  }
}

function checkEachStep({ atKill, effects, history }: Outcome): void {
  const isLate = (effect: Effect): boolean => effects.indexOf(effect) >= atKill.effects.length;
  for (const step of history.steps) {
    const starts = effects.filter((effect) => effect.stepKey === step.stepKey);
    expect(step.attempts, "attempts").toBeLessThanOrEqual(step.maxAttempts);
    // No commit stands before the first body after a claim, so a lost start of it is booked on nobody.
    const unbooked = step.stepKey === "step-1" ? 1 : 0;
    const booked = step.attempts + step.lostAttempts;
    expect(starts.length, "starts within attempts").toBeLessThanOrEqual(booked + unbooked);
    expect(
      new Set(starts.map((start) => start.attempt)).size,
      "attempt numbers",
    ).toBeGreaterThanOrEqual(starts.length - unbooked);
    if (step.status === "completed") {
      expect(step.attempts, "one success, the others lost").toBe(1);
      expect(starts.length - 1, "starts beyond the first are lost attempts").toBeLessThanOrEqual(
        step.lostAttempts + unbooked,
      );
      expect(starts.at(-1)?.attempt, "the last start is the last attempt").toBe(booked);
    }
    if (atKill.completed.includes(step.stepKey))
      expect(starts.filter(isLate), "a completed step ran again").toEqual([]);
  }
}

function checkCompleted(outcome: Outcome): void {
  expect(outcome.status).toEqual({ status: "complete", runNumber: 1, output: 55 });
  expect(outcome.history.steps.map((step) => step.status)).toEqual(
    range(TEN).map(() => "completed"),
  );
  checkEachStep(outcome);
  const lost = outcome.history.steps.reduce((sum, step) => sum + step.lostAttempts, 0);
  expect(lost, "one kill costs one attempt of one step at most").toBeLessThanOrEqual(1);
}

/** Nobody can know whether the body in flight did its work, so at most once means: not again. */
function checkAtMostOnce(outcome: Outcome, point: KillPoint): void {
  checkEachStep(outcome);
  const inFlight = outcome.history.steps.filter((step) => step.lostAttempts > 0);
  if (inFlight.length === 0)
    return expect(outcome.status).toEqual({ status: "complete", runNumber: 1, output: 55 });
  expect(inFlight).toHaveLength(1);
  expect(inFlight[0]).toMatchObject({
    status: "errored",
    attempts: 0,
    lostAttempts: 1,
    maxAttempts: 1,
  });
  expect(outcome.status).toMatchObject({
    status: "errored",
    runNumber: 1,
    error: { name: "StepMaxAttemptsExceeded", message: "STEP_MAX_ATTEMPTS_EXCEEDED" },
  });
  if (point.at === "body") expect(inFlight[0]?.stepKey).toBe(`step-${point.count}`);
}

let bundle: WorkerBundle;
beforeAll(async () => {
  bundle = await bundleWorker();
});
afterAll(() => bundle.remove());

/** The worker is the same, and so is what it is killed at: one database each day. */
describe.each<SubjectKind>([...ofToday([EMBEDDED, POSTGRES], 1)])(
  "SIGKILL of a worker process on $name",
  (kind) => {
    const isShared = kind === POSTGRES;
    // A batch of the embedded driver is over before anything else can happen.
    const sides: readonly Side[] = isShared ? ["before", "during", "after"] : ["before", "after"];
    const killPointCount = BOUNDARIES * sides.length + TEN;
    // A batch that is killed while under way may or may not be applied.
    const undecided = sides.includes("during") ? 1 : 0;

    async function proveAll(
      drive: TenStepsJob["drive"],
      retriesLimit: number,
      check: (outcome: Outcome, point: KillPoint) => void,
    ): Promise<readonly Outcome[]> {
      const directory = temporaryDirectory();
      const subjects: TestSubject[] = [];
      const open = async (): Promise<TestSubject> => {
        const subject = await kind.open();
        subjects.push(subject);
        await (await withVirtualClock(await openDatabase(subject.url))).database.close();
        return subject;
      };
      // Processes share Postgres; of files each has its own, because writers of one file wait for each other.
      const shared = isShared ? await open() : null;
      const scenes = new Map<Scenario, Scene>();
      const outcomes: Outcome[] = [];
      const failures: string[] = [];
      const noteFailure = (point: KillPoint) => (error: unknown) => {
        failures.push(`${describeKillPoint(point)}: ${String(error)}`);
      };
      await runLimited(pointsOf(drive, sides), 3, async (point) => {
        const logPath = join(directory.path, `${describeKillPoint(point)}.log`);
        const scenario = { subject: shared ?? (await open()), logPath, point, drive, retriesLimit };
        await killWorker(scenario).then((scene) => scenes.set(scenario, scene), noteFailure(point));
      });
      // A claim that a process had sent when it was killed may come after that, and holds the run for another lease.
      let left = [...scenes];
      for (let lease = 1; lease <= 2; lease += 1) {
        await endLeases(subjects);
        const held: typeof left = [];
        await runLimited(left, 3, async ([scenario, scene]) => {
          await finish(scenario, scene)
            .then((outcome) => {
              if (lease === 1 && outcome.status.status === "running")
                return void held.push([scenario, scene]);
              outcomes.push(outcome);
              check(outcome, scenario.point);
            })
            .catch(noteFailure(scenario.point));
        });
        left = held;
      }
      await Promise.all(subjects.map((subject) => subject.remove()));
      directory.remove();
      expect(failures).toEqual([]);
      expect(outcomes, "kill points").toHaveLength(killPointCount);
      return outcomes;
    }

    const countLost = (outcomes: readonly Outcome[]): number =>
      outcomes.filter(({ history }) => history.steps.some((step) => step.lostAttempts > 0)).length;

    it("S0-001 S0-002 S0-089 S0-090 S2-007 S4-048 at any boundary costs at most one attempt, and no completed step runs again", async () => {
      const outcomes = await proveAll("tick", 5, checkCompleted);
      // Nothing is booked around the claim, in the first body, which no commit names, before the first commit, and after
      // the last.
      expect(countLost(outcomes), "all the others hit a step").toBeGreaterThanOrEqual(
        killPointCount - (sides.length + 3 + 2 * undecided),
      );
    }, 240_000);

    it("S0-001 S0-002 S0-090 at any write of a process that creates and runs costs at most one attempt", async () => {
      await proveAll("loop", 5, checkCompleted);
    }, 240_000);

    it("S2-007 S2-022 S2-023 S2-042 with no retries a killed body never starts twice, and the instance says why it ended", async () => {
      const outcomes = await proveAll("tick", 0, checkAtMostOnce);
      // Nothing is booked around the claim, and before the commit of the first start.
      expect(countLost(outcomes), "all the others hit a step").toBeGreaterThanOrEqual(
        killPointCount - (sides.length + 1 + undecided),
      );
    }, 240_000);
  },
);
