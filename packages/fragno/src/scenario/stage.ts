/** The environment of a scenario: a database with a clock, and the current runner. */
import type { AnySchema } from "@fragno-dev/db/schema";
import type { Logger, WorkflowsRegistry } from "@escapement/engine";
import { parseDuration } from "@escapement/engine/internal";
import {
  createFakeTime,
  failOnAwaitOutsideStep,
  type FakeTime,
  type LogLine,
  withVirtualClock,
} from "@escapement/engine/testing";
import { createFragmentsBuilder, type ScenarioFragments } from "./fragments-builder.ts";
import { openScenarioDatabase } from "./open-database.ts";
import { migrateAll, type Runner, startRunner } from "./runner.ts";
import type { Scenario, ScenarioContext, ScenarioVars } from "./types.ts";

export interface Stage<TContext> {
  readonly context: TContext;
  close(): Promise<void>;
}

/** Opens the database, creates the tables, and starts the first runner. */
export async function openStage<
  TRegistry extends WorkflowsRegistry,
  TVars extends ScenarioVars,
  TFragments extends ScenarioFragments,
>(
  scenario: Scenario<TRegistry, TVars, TFragments>,
  vars: TVars,
): Promise<Stage<ScenarioContext<TRegistry, TVars, TFragments>>> {
  const { harness = {} } = scenario;
  const opened = await openScenarioDatabase(harness.database);
  const { database, clock } = await withVirtualClock(opened.database);
  const time = createFakeTime(await clock.now());
  const log: LogLine[] = [];
  const logger: Logger = { log: (level, event, fields) => void log.push({ level, event, fields }) };
  const builder = harness.configureBuilder?.(createFragmentsBuilder()) ?? createFragmentsBuilder();
  const start = (): Runner =>
    startRunner({
      workflows: scenario.workflows,
      sources: builder.sources,
      env: harness.env,
      host: time.host,
      database,
      logger,
    });
  const cast: Cast = { runner: start(), start, time, log, moveClock: clock.advance };
  await migrateAll(cast.runner);
  return {
    context: createContext(scenario, { vars, cast }),
    async close() {
      cast.runner.kill();
      await opened.close();
    },
  };
}

/** The parts that change during a scenario. */
interface Cast {
  runner: Runner;
  readonly start: () => Runner;
  readonly time: FakeTime;
  readonly log: readonly LogLine[];
  readonly moveClock: (ms: number) => Promise<void>;
}

function createContext<
  TRegistry extends WorkflowsRegistry,
  TVars extends ScenarioVars,
  TFragments extends ScenarioFragments,
>(
  { workflows }: Scenario<TRegistry, TVars, TFragments>,
  { vars, cast }: { readonly vars: TVars; readonly cast: Cast },
): ScenarioContext<TRegistry, TVars, TFragments> {
  const nameOf = (key: keyof TRegistry & string): string => workflows[key]?.name ?? key;
  return {
    vars,
    log: cast.log,
    get workflows() {
      return cast.runner.engine.workflows as never;
    },
    get engine() {
      return cast.runner.engine;
    },
    get fragments() {
      return cast.runner.fragments as unknown as TFragments;
    },
    now: cast.time.now,
    status: async (key, id) => (await cast.runner.engine.getInstance(nameOf(key), id)).details,
    history: (key, id, runNumber) =>
      cast.runner.engine.listHistory(nameOf(key), id, runNumber === undefined ? {} : { runNumber }),
    db: (schema) => findQueries(cast.runner, schema) as never,
    runUntilIdle: () => runUntilIdle(cast),
    startTick: () => startTick(cast),
    advanceTime: (by) => advance(cast, by),
    restartRunner() {
      cast.runner.kill();
      cast.runner = cast.start();
    },
  };
}

function findQueries({ all }: Runner, schema: AnySchema): unknown {
  const owner = all.find(({ $internal }) => $internal.deps.schema === schema);
  if (owner !== undefined) return owner.$internal.deps.db;
  throw new RangeError("no fragment of the scenario has this schema: add it with withFragment");
}

const MAX_PASSES = 1000;

async function runUntilIdle({ runner, log }: Cast): Promise<void> {
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const hookCount = await runner.runHooks();
    const { processed } = await runner.engine.tick();
    failOnAwaitOutsideStep(log);
    if (hookCount + processed === 0) return;
  }
  throw new RangeError(`work was still due after ${MAX_PASSES} passes`);
}

/** Lets due bodies begin. */
async function startTick({ runner, time }: Cast): Promise<void> {
  void runner.engine.tick();
  await time.advance(0);
}

async function advance({ time, moveClock }: Cast, by: number | string): Promise<void> {
  const ms = parseDuration(by, "the time to advance");
  await moveClock(ms);
  await time.advance(ms);
}
