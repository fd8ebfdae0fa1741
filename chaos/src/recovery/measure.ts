/** Measures one fault: steady instances on three processes with default settings, and how long they stand still. */
import { writeFileSync } from "node:fs";
import { type LedgerLine, machineMs, readLedger } from "../ledger.ts";
import { type Stage, withStage } from "../stage.ts";
import type { Subject } from "../subjects/subject.ts";
import type { WorkerBundle } from "../../../proofs/src/worker/spawn-worker.ts";
import type { Scenario, Scene } from "./scenarios.ts";
import { findSlowness, findStandstills, type Standstill } from "./standstill.ts";
import { createSteadyWorkflow, stopPathOf } from "./steady.ts";

const PROCESSES = 3;
/** More than one process has room for, so that the others have some. */
const INSTANCES = 60;
/** All instances have beaten so lately: everything is well. */
const WELL_MS = 2000;
/** Nothing is measured for longer. */
const GIVE_UP_MS = 120_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface MeasureOptions {
  readonly openSubject: () => Promise<Subject>;
  readonly bundle: WorkerBundle;
  readonly scenario: Scenario;
}

export interface Measurement {
  readonly standstills: readonly Standstill[];
  /** How many times as long as usual the machine took meanwhile. */
  readonly slowness: number;
}

/** null when the database here cannot do that. */
export function measure(options: MeasureOptions): Promise<Measurement | null> {
  const { scenario } = options;
  const stageOptions = {
    ...options,
    size: PROCESSES,
    settings: { program: "steady", leaseMs: null, pollMs: null, batchTimeoutMs: null },
    createWorkflows: (append: Stage["append"]) => ({ STEADY: createSteadyWorkflow(append, "") }),
    hasWrongClock: false,
  } as const;
  return withStage(stageOptions, async (stage) => {
    const { faults } = stage.subject;
    if (scenario.needs !== null && faults[scenario.needs] === undefined) return null;
    await start(stage);
    const scene: Scene = { fleet: stage.fleet, faults, busiest: findBusiest(stage) };
    const from = machineMs();
    await scenario.play(scene);
    const over = machineMs();
    // What is over before the fault is felt everywhere is not over.
    await pause(WELL_MS);
    await untilWell(stage, from);
    const to = machineMs();
    scenario.repair?.(scene);
    writeFileSync(stopPathOf(stage.ledgerPath), "");
    const lines = readLedger(stage.ledgerPath);
    return {
      standstills: findStandstills(lines, { from, over, to }),
      slowness: findSlowness(lines),
    };
  });
}

async function start(stage: Stage): Promise<void> {
  const ids = Array.from({ length: INSTANCES }, (_item, index) => ({ id: `steady-${index}` }));
  await stage.engine.createBatch("steady", ids);
  await untilWell(stage, machineMs());
}

/** Waits until every instance has beaten lately, and twice since `from`. */
async function untilWell({ ledgerPath }: Stage, from: number): Promise<void> {
  const giveUpAt = machineMs() + GIVE_UP_MS;
  for (;;) {
    await pause(250);
    const now = machineMs();
    const last = lastBeats(readLedger(ledgerPath));
    const well = [...last.values()].filter(({ t }) => t > from && now - t < WELL_MS).length;
    if (well === INSTANCES || now > giveUpAt) return;
  }
}

type Beat = Extract<LedgerLine, { kind: "beat" }>;

function lastBeats(lines: readonly LedgerLine[]): ReadonlyMap<string, Beat> {
  const last = new Map<string, Beat>();
  for (const line of lines) if (line.kind === "beat") last.set(line.id, line);
  return last;
}

function findBusiest({ fleet, ledgerPath }: Stage): number {
  const counts = new Map<number, number>();
  for (const { pid } of lastBeats(readLedger(ledgerPath)).values())
    counts.set(pid, (counts.get(pid) ?? 0) + 1);
  const slots = Array.from({ length: fleet.size }, (_item, index) => index);
  const countOf = (slot: number): number => counts.get(fleet.slot(slot).pid) ?? 0;
  return slots.toSorted((a, b) => countOf(b) - countOf(a))[0] ?? 0;
}
