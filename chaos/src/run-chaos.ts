/** One run: faults for a time, then quiet, and the check of what is left. */
import type { Database } from "@escapement/db";
import type { Delivery } from "@escapement-internal/test-servers";
import type { WorkerBundle } from "../../proofs/src/worker/spawn-worker.ts";
import { checkRun } from "./check/check-run.ts";
import { countLogLines } from "./check/check-processes.ts";
import type { Violation } from "./check/violation.ts";
import { createDeliveries } from "./faults/deliveries.ts";
import { type Played, playSchedule } from "./faults/play.ts";
import { createSchedule } from "./faults/schedule.ts";
import { type LedgerLine, readLedger } from "./ledger.ts";
import { runLoad, type StartedInstance } from "./load.ts";
import { startObserver } from "./observer.ts";
import { createWorkflows } from "./program/workflows.ts";
import { type Stage, withStage } from "./stage.ts";
import type { Subject } from "./subjects/subject.ts";
import { countOpen, readTables } from "./tables.ts";

export interface ChaosOptions {
  readonly seed: string;
  readonly openSubject: () => Promise<Subject>;
  readonly bundle: WorkerBundle;
  readonly durationMs: number;
  /** Processes. */
  readonly size: number;
  /** Mean time between two faults. */
  readonly faultEveryMs: number;
  /** Instances a second. */
  readonly rate: number;
  /** null: the engine's default. */
  readonly leaseMs: number | null;
  /** null: the default. */
  readonly pollMs: number | null;
  /** null: the default. */
  readonly batchTimeoutMs: number | null;
  /** How long instances may take to end once everything is well again. */
  readonly quietMs: number;
  /** Told where the ledger is, before it is removed. */
  readonly keepLedger?: (path: string) => void;
}

/** What a run did, and what it found. */
export interface ChaosReport {
  readonly subject: Subject["name"];
  readonly seed: string;
  readonly seconds: number;
  readonly instances: number;
  readonly bodies: number;
  readonly sessions: number;
  readonly processes: number;
  readonly kills: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly deliveries: Readonly<Partial<Record<Delivery["kind"], number>>>;
  readonly mostLogLinesAMinute: number;
  /** From the last fault to the last instance's end. */
  readonly settledMs: number;
  readonly violations: readonly Violation[];
}

/** The engine's default lease, for faults that must outlast it. */
const DEFAULT_LEASE_MS = 8000;
/** How late a request may be delivered, at most. */
const LATE_MS = 3000;
/** Ten seconds for bodies, thirty for a call that a fault has left without an answer, and the rest for a busy machine. */
const END_GRACE_MS = 150_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { leaseMs, pollMs, batchTimeoutMs } = options;
  const stageOptions = {
    ...options,
    settings: { program: "chaos", leaseMs, pollMs, batchTimeoutMs },
    createWorkflows: (append: Stage["append"]) => createWorkflows(append, "a"),
    hasWrongClock: true,
  } as const;
  return withStage(stageOptions, async (stage) => {
    const startedAt = performance.now();
    const observer = startObserver(stage.database, stage.append);
    const { played, started, deliveries } = await disturb(stage, options);
    const settledMs = await untilEnded(stage.database, options.quietMs);
    await observer.stop();
    const stubborn = await stage.fleet.end(END_GRACE_MS);
    options.keepLedger?.(stage.ledgerPath);
    const lines = readLedger(stage.ledgerPath);
    const tables = await readTables(stage.database);
    return {
      ...count(stage, lines),
      seed: options.seed,
      seconds: Math.round((performance.now() - startedAt) / 1000),
      instances: tables.instances.length,
      kills: played.killCount,
      faults: Object.fromEntries(played.counts),
      deliveries,
      settledMs: Math.round(settledMs),
      violations: checkRun({ lines, tables, started, fleet: stage.fleet, stubborn }),
    };
  });
}

interface Disturbed {
  readonly played: Played;
  readonly started: readonly StartedInstance[];
  readonly deliveries: ChaosReport["deliveries"];
}

async function disturb(stage: Stage, options: ChaosOptions): Promise<Disturbed> {
  const { subject, engine, append, clocks } = stage;
  const { seed, durationMs, rate } = options;
  const schedule = createSchedule({
    seed,
    durationMs,
    everyMs: options.faultEveryMs,
    slots: options.size,
    leaseMs: options.leaseMs ?? DEFAULT_LEASE_MS,
    faults: subject.faults,
    clockSlots: clocks?.slots ?? [],
  });
  const deliveries = createDeliveries(seed, LATE_MS);
  subject.faults.deliver?.(deliveries.deliver);
  const note = (what: string): void => append({ kind: "fault", what });
  const [played, started] = await Promise.all([
    playSchedule({ ...stage, note }, schedule),
    runLoad({ engine, seed, durationMs, rate }),
  ]);
  subject.faults.deliver?.(null);
  note("quiet");
  return { played, started, deliveries: Object.fromEntries(deliveries.counts) };
}

async function untilEnded(database: Database, quietMs: number): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < quietMs) {
    if ((await countOpen(database).catch(() => 1)) === 0) break;
    await pause(200);
  }
  return performance.now() - startedAt;
}

function count(
  { subject, fleet }: Stage,
  lines: readonly LedgerLine[],
): Pick<ChaosReport, "subject" | "bodies" | "sessions" | "processes" | "mostLogLinesAMinute"> {
  const countKind = (kind: LedgerLine["kind"]): number =>
    lines.filter((line) => line.kind === kind).length;
  const slots = Array.from({ length: fleet.size }, (_item, index) => fleet.slot(index));
  return {
    subject: subject.name,
    bodies: countKind("start"),
    sessions: countKind("begin"),
    processes: slots.reduce((sum, { generation }) => sum + generation, 0),
    mostLogLinesAMinute: countLogLines(fleet.logLines).most,
  };
}
