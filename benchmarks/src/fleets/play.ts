/** One platform's model with so many sandboxes under one trouble, by the virtual clock: what came of it. */
import { createEngine, type Logger } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { createMeter, type Meter } from "../cost/meter.ts";
import type { CostModel, Deployed, MemoryStore, Scene } from "../cost/scene.ts";
import { slowDown } from "../cost/slow-store.ts";
import { createRandom } from "../lateness/seeded-random.ts";
import type { VirtualTime } from "../lateness/virtual-time.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { create, defineNaps, type Run } from "./naps.ts";
import type { Planned, Scenario } from "./scenarios.ts";
import { createTroubleMaker, type TroubleMaker } from "./troubles.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const LIMIT_MS = 3 * HOUR_MS;
const SEED = 20_261_123;

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
  readonly invocations: number;
  /** The longest invocation. */
  readonly longestMs: number;
  /** Calls that the platform did not let an invocation make. */
  readonly refused: number;
  /** Of what a preview created, and what the preview itself did; null: there is none. */
  readonly preview: {
    readonly lateMs: number;
    readonly trips: number;
    readonly wakes: number;
  } | null;
}

export interface Play {
  readonly model: CostModel;
  readonly scenario: Scenario;
  readonly size: number;
  /** Empty, with the virtual clock's time. @default a memory store */
  readonly store?: MemoryStore;
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
  const fleet = createFleet({
    size,
    mixedUntil: startedAt + (scenario.mixedForMs ?? 0),
    now,
    random,
    at,
  });
  const maker = createTroubleMaker(scenario.troubles, { fleet, now, random });
  const run: Run = { bodies: new Map(), dueAt: new Map(), ended: new Set() };
  const workflows = defineNaps({ run, maker, scenario });
  const base = store ?? createMemoryStore({ now });
  await populate(base, { workflows: workflows.newest, scenario });
  const scene = { time, store: base, random, workflows, fleet, maker };
  const { production, preview } = deploy(model, scenario, scene);
  const deployedOf = ({ from }: Planned): Deployed =>
    (from === "preview" ? preview?.deployed : null) ?? production;
  for (const planned of scenario.instances.filter(({ atMs }) => atMs > 0))
    at(
      startedAt + planned.atMs,
      () => void create(deployedOf(planned), { planned, startedAt, run }),
    );
  try {
    const { length } = scenario.instances;
    await time.runUntil(() => run.ended.size === length, scenario.limitMs ?? LIMIT_MS);
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
    invocations: fleet.idle.entered(),
    longestMs: fleet.idle.longestMs(),
    refused: maker.refusedCount,
    lateMs: worstLateMs(run, { scenario, maker, startedAt, size, from: "production" }),
    preview: preview && {
      lateMs: worstLateMs(run, { scenario, maker, startedAt, size, from: "preview" }),
      ...preview.count(),
    },
  };
}

const SILENT: Logger = { log: () => undefined };

interface SceneParts extends Pick<Scene, "time" | "store" | "random"> {
  readonly workflows: ReturnType<typeof defineNaps>;
  readonly fleet: Fleet;
  readonly maker: TroubleMaker;
}

interface Deployments {
  readonly production: Deployed;
  /** null: nothing is asked of any. */
  readonly preview: {
    readonly deployed: Deployed;
    count(): { readonly trips: number; readonly wakes: number };
  } | null;
}

function deploy(model: CostModel, { instances }: Scenario, parts: SceneParts): Deployments {
  const { time, store, random, workflows, fleet, maker } = parts;
  const open = (meter: Meter, others: Pick<Scene, "isPreview" | "wakes">): Deployed =>
    model.open({
      time,
      store: slowDown(maker.wrap(store), meter),
      random,
      get workflows() {
        return workflows[fleet.current()?.sandbox.isOlder === true ? "older" : "newest"];
      },
      meter,
      logger: SILENT,
      lost: () => undefined,
      openSandboxes: fleet.open,
      ...others,
    });
  const meter = createMeter(time.now);
  let wakes = 0;
  const counted = { ...maker.wakes, asked: () => void (wakes += 1) };
  const hasPreview = instances.some(({ from }) => from === "preview");
  const deployed = hasPreview ? open(meter, { isPreview: true, wakes: counted }) : null;
  return {
    // The last one that is opened gets what the process calls.
    production: open(createMeter(time.now), { wakes: maker.wakes }),
    preview: deployed && {
      deployed,
      count: () => ({ trips: meter.end().counts["trips"] ?? 0, wakes }),
    },
  };
}

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
  { scenario, maker, startedAt, size, from: deployment }: Omit<Play, "model" | "store"> & Told,
): number {
  const { outage, strike } = scenario.troubles;
  const freezeMs = typeof strike?.by === "object" && size === 1 ? strike.by.freezeMs : 0;
  const from = outage === undefined ? (maker.struck?.at ?? -Infinity) : startedAt + outage.fromMs;
  const to = outage === undefined ? from + freezeMs : startedAt + outage.toMs;
  const ofDeployment = new Set(
    scenario.instances
      .filter(({ from: by = "production" }) => by === deployment)
      .map(({ id }) => id),
  );
  const own = [...dueAt].filter(([key]) => ofDeployment.has(key.split("/")[0] ?? ""));
  const lateMs = own.map(([key, due]) => {
    const ranAt = bodies.get(key)?.lastAt ?? Infinity;
    return ranAt - (ranAt >= from ? Math.max(due, to) : due);
  });
  return Math.max(...lateMs);
}

interface Told {
  readonly maker: TroubleMaker;
  readonly startedAt: number;
  readonly from: "production" | "preview";
}
