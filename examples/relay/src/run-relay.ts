/** One instance, carried from platform to platform; each process is killed when its leg is done. */
import { setTimeout as wait } from "node:timers/promises";
import { createEngine, type Engine } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { startNeonProxy, temporaryDirectory } from "@escapement-internal/test-servers";
import { findProblems } from "./find-problems.ts";
import type { Hop, RunningHop } from "./hops/hop.ts";
import { type Ledger, startLedger } from "./ledger.ts";
import type { Leg, RelayEnd, SkippedHop } from "./relay-end.ts";
import { defineRelay } from "./relay-workflow.ts";
import { INSTANCE } from "./runner-engine.ts";
import type { DatabasePlace, RunnerSettings } from "./runner-settings.ts";
import { openDatabase } from "./runners/open-database.ts";

export interface RelayOptions {
  readonly place: DatabasePlace & { readonly kind: "libsql" | "postgres" };
  /** All that there are; those that cannot run here are skipped. */
  readonly hops: readonly Hop[];
  readonly onProgress?: (progress: RelayProgress) => void;
  /** How long one platform may take, in milliseconds. @default 120000 */
  readonly legTimeoutMs?: number;
}

export type RelayProgress =
  | { readonly kind: "begins"; readonly hop: string; readonly leg: string }
  | { readonly kind: "ended"; readonly leg: Leg };

const TICK_SECRET = "of-this-relay-only-0123456789";

/** @throws when a platform does not start, or does not finish its leg in time */
export async function runRelay(options: RelayOptions): Promise<RelayEnd> {
  const { place, hops } = options;
  const skipped = hops.flatMap((hop): SkippedHop[] => {
    const reason = hop.missing();
    return reason === null ? [] : [{ hop: hop.name, reason }];
  });
  const runners = hops.filter(({ name }) => !skipped.some(({ hop }) => hop === name));
  const ledger = await startLedger();
  const proxy = place.kind === "postgres" ? await startNeonProxy(place.url) : null;
  const database = openDatabase(place);
  try {
    await migrate(database);
    const relay = defineRelay({ platform: "nobody", ledgerUrl: ledger.url }, "none");
    const store = createSqlStore({ database });
    // Without a loop and without ticks: it creates and reads, and runs nothing.
    const engine = createEngine({ workflows: { RELAY: relay }, store });
    await engine.workflows.RELAY.create({ id: INSTANCE, params: { legCount: runners.length } });
    const toSettings = (hop: Hop): RunnerSettings => ({
      platform: hop.name,
      database:
        hop.needsHttpDatabase === true && proxy !== null ? { kind: "neon", url: proxy.url } : place,
      legNumber: runners.indexOf(hop) + 1,
      ledgerUrl: ledger.url,
      tickSecret: TICK_SECRET,
    });
    const legs = await runLegs({ ...options, engine, ledger, runners, toSettings });
    const { status, output } = (await engine.getInstance("relay", INSTANCE)).details;
    const end = { legs, skipped, bodies: ledger.bodies, status, output };
    return { ...end, problems: findProblems(end) };
  } finally {
    await database.close();
    await proxy?.stop();
    ledger.close();
  }
}

interface Course extends RelayOptions {
  readonly engine: Engine;
  readonly ledger: Ledger;
  readonly runners: readonly Hop[];
  readonly toSettings: (hop: Hop) => RunnerSettings;
}

async function runLegs(course: Course): Promise<Leg[]> {
  const beganAt = performance.now();
  const legs: Leg[] = [];
  for (const [index, hop] of course.runners.entries()) {
    const leg = `leg ${index + 1}`;
    course.onProgress?.({ kind: "begins", hop: hop.name, leg });
    const ended = await runLeg(course, hop, {
      leg,
      since: () => Math.round(performance.now() - beganAt),
    });
    course.onProgress?.({ kind: "ended", leg: ended });
    legs.push(ended);
  }
  return legs;
}

interface LegClock {
  readonly leg: string;
  /** Milliseconds since the relay began. */
  readonly since: () => number;
}

async function runLeg(course: Course, hop: Hop, { leg, since }: LegClock): Promise<Leg> {
  const directory = temporaryDirectory();
  const startedAtMs = since();
  let running: RunningHop | null = null;
  try {
    running = await hop.start({ settings: course.toSettings(hop), folder: directory.path });
    const readyAtMs = since();
    await tickUntilDone(course, running, { leg, since });
    const doneAtMs = since();
    const { pid } = running;
    await running.kill();
    running = null;
    const ran = course.ledger.bodies.find((body) => body.leg === leg) ?? null;
    const note = hop.note?.() ?? null;
    return {
      hop: hop.name,
      leg,
      note,
      pid,
      startedAtMs,
      readyAtMs,
      doneAtMs,
      killedAtMs: since(),
      ran,
    };
  } catch (error) {
    throw new Error(`${hop.name} did not run its leg`, { cause: error });
  } finally {
    await running?.kill();
    directory.remove();
  }
}

/** A platform may answer a tick before it is done; one that was lost is given again. */
const TICK_AGAIN_MS = 30_000;

/** Done is what the database says: the record of the step is committed. */
async function tickUntilDone(course: Course, running: RunningHop, clock: LegClock): Promise<void> {
  const giveUpAtMs = clock.since() + (course.legTimeoutMs ?? 120_000);
  let tickAtMs = clock.since();
  while (!(await isDone(course, clock.leg))) {
    if (clock.since() > giveUpAtMs) throw new Error(`${clock.leg} is still not done`);
    if (clock.since() >= tickAtMs) {
      await running.tick();
      tickAtMs = clock.since() + TICK_AGAIN_MS;
    } else await wait(20);
  }
}

async function isDone({ engine }: Course, leg: string): Promise<boolean> {
  const { steps } = await engine.listHistory("relay", INSTANCE, {});
  const step = steps.find(({ name }) => name === leg);
  if (step?.status === "errored") throw new Error(`${leg} failed: ${step.error?.message ?? ""}`);
  return step?.status === "completed";
}
