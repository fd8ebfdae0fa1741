/** One platform's model with so many sandboxes under one trouble, by the virtual clock: what came of it. */
import {
  createEngine,
  defineWorkflow,
  type Logger,
  type WorkflowDefinition,
} from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { createMeter } from "../cost/meter.ts";
import {
  type CostModel,
  type Deployed,
  type MemoryStore,
  type Scene,
  waitFor,
} from "../cost/scene.ts";
import { slowDown } from "../cost/slow-store.ts";
import { createRandom } from "../lateness/seeded-random.ts";
import type { VirtualTime } from "../lateness/virtual-time.ts";
import { createFleet } from "./fleet.ts";
import type { Planned, Scenario } from "./scenarios.ts";
import { createTroubleMaker, type TroubleMaker } from "./troubles.ts";

const BODY_MS = 50;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const LIMIT_MS = 3 * HOUR_MS;
const SEED = 20_261_123;
const URL_OF_INSTANCES = "https://app.test/api/workflows/workflows/nap/instances";

export interface Outcome {
  readonly ended: number;
  /** Bodies that ran more than once, of instances that the struck sandbox had in hand, and of others. */
  readonly repeated: { readonly struck: number; readonly others: number };
  /** Invocations alive at once that ran no body, and of these those that had not for a second. */
  readonly idle: number;
  readonly waiting: number;
  /** Wakes for an instant that were asked for and that were taken, for each second that any was for; null: none was. */
  readonly askedPerSecond: number | null;
  readonly armedPerSecond: number | null;
  /** From when something was due, or the trouble over, to its body, at worst. */
  readonly lateMs: number;
}

export interface Play {
  readonly model: CostModel;
  readonly scenario: Scenario;
  readonly size: number;
  /** Empty, with the virtual clock's time. @default a memory store */
  readonly store?: MemoryStore;
}

interface Run {
  /** How often each body began, and when it did last. */
  readonly bodies: Map<string, { count: number; lastAt: number }>;
  /** When each body was due. */
  readonly dueAt: Map<string, number>;
  readonly ended: Set<string>;
}

export async function play(
  time: VirtualTime,
  { model, scenario, size, store }: Play,
): Promise<Outcome> {
  // Each begins at the same minute of an hour, with the same luck.
  time.reset(HOUR_MS - (time.now() % HOUR_MS) + 5 * MINUTE_MS);
  const startedAt = time.now();
  const random = createRandom(SEED);
  const chance = Math.random;
  Math.random = () => random(1);
  const { now, at } = time;
  const fleet = createFleet({ size, now, random, at });
  const maker = createTroubleMaker(scenario.troubles, { fleet, now, random });
  const run: Run = { bodies: new Map(), dueAt: new Map(), ended: new Set() };
  const workflows = { WORK: defineNap(run, maker) };
  const base = store ?? createMemoryStore({ now });
  await populate(base, { workflows, scenario });
  const meter = createMeter(now);
  const scene: Scene = {
    time,
    store: slowDown(maker.wrap(base), meter),
    random,
    workflows,
    meter,
    logger: SILENT,
    lost: () => undefined,
    openSandboxes: fleet.open,
    wakes: maker.wakes,
  };
  const deployed = model.open(scene);
  for (const planned of scenario.instances)
    if (planned.atMs > 0)
      at(startedAt + planned.atMs, () => void create(deployed, { planned, startedAt, run }));
  try {
    const { length } = scenario.instances;
    await time.runUntil(() => run.ended.size === length, LIMIT_MS);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  } finally {
    fleet.close();
    Math.random = chance;
  }
  return {
    ended: run.ended.size,
    repeated: countRepeated(run, maker),
    idle: fleet.idle.peak(0),
    waiting: fleet.idle.peak(1000),
    askedPerSecond: perSecond(maker.asked),
    armedPerSecond: perSecond(maker.armed),
    lateMs: worstLateMs(run, { scenario, maker, startedAt, size }),
  };
}

const SILENT: Logger = { log: () => undefined };

/** Those that are there from the begin; whoever made them told nobody. */
async function populate(
  store: Scene["store"],
  { workflows, scenario }: { workflows: Scene["workflows"]; scenario: Scenario },
): Promise<void> {
  const there = scenario.instances.filter(({ atMs }) => atMs === 0);
  const engine = createEngine({ workflows, store, logger: SILENT });
  for (let from = 0; from < there.length; from += 100) {
    const some = there.slice(from, from + 100).map(({ id }) => ({ id, params: {} }));
    await engine.workflows.WORK.createBatch(some);
  }
}

function defineNap({ bodies, ended }: Run, maker: TroubleMaker): WorkflowDefinition {
  const body = async (instanceId: string, name: string): Promise<void> => {
    const key = `${instanceId}/${name}`;
    bodies.set(key, { count: (bodies.get(key)?.count ?? 0) + 1, lastAt: Date.now() });
    const end = maker.body(instanceId);
    await waitFor(BODY_MS);
    end();
  };
  return defineWorkflow({ name: "nap" }, async ({ instanceId, payload }, step) => {
    const { dueAt = null } = payload as { readonly dueAt?: number | null };
    await step.do("first", () => body(instanceId, "first"));
    if (dueAt !== null) await step.sleepUntil("nap", dueAt);
    await step.do("second", () => body(instanceId, "second"));
    ended.add(instanceId);
  });
}

interface Creation {
  readonly planned: Planned;
  readonly startedAt: number;
  readonly run: Run;
}

/** Asks until it is told that there is one. */
async function create(deployed: Deployed, creation: Creation): Promise<void> {
  const { planned, startedAt, run } = creation;
  const { id, dueMs } = planned;
  const dueAt = dueMs === null ? null : startedAt + dueMs;
  run.dueAt.set(`${id}/first`, Date.now());
  if (dueAt !== null) run.dueAt.set(`${id}/second`, dueAt);
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify({ id, params: { dueAt } }) };
  const status = await deployed(new Request(URL_OF_INSTANCES, init)).catch(() => 503);
  if (status < 500) return;
  await waitFor(1000);
  return create(deployed, creation);
}

function countRepeated({ bodies }: Run, { struck }: TroubleMaker): Outcome["repeated"] {
  const again = [...bodies].filter(([, { count }]) => count > 1);
  const ofStruck = again.filter(([key]) => struck?.ids.has(key.split("/")[0] ?? "") === true);
  return { struck: ofStruck.length, others: again.length - ofStruck.length };
}

function perSecond(seconds: readonly number[]): number | null {
  return seconds.length === 0 ? null : seconds.length / new Set(seconds).size;
}

/** @returns Infinity: something never came */
function worstLateMs(
  { bodies, dueAt }: Run,
  { scenario, maker, startedAt, size }: Omit<Play, "model" | "store"> & Told,
): number {
  const { outage, strike } = scenario.troubles;
  const freezeMs = typeof strike?.by === "object" && size === 1 ? strike.by.freezeMs : 0;
  const from = outage === undefined ? (maker.struck?.at ?? -Infinity) : startedAt + outage.fromMs;
  const to = outage === undefined ? from + freezeMs : startedAt + outage.toMs;
  const lateMs = [...dueAt].map(([key, due]) => {
    const ranAt = bodies.get(key)?.lastAt ?? Infinity;
    return ranAt - (ranAt >= from ? Math.max(due, to) : due);
  });
  return Math.max(...lateMs);
}

interface Told {
  readonly maker: TroubleMaker;
  readonly startedAt: number;
}
