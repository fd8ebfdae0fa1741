/** How long instances stood still, from the beats in the ledger. */
import type { LedgerLine } from "../ledger.ts";

/** Between two beats nobody stands still for longer, on a busy machine either: a longer pause is the fault's. */
export const BEYOND_MS = 1500;

/** How long one instance stood still around a fault. */
export interface Standstill {
  readonly id: string;
  /** The longest time between two of its beats. */
  readonly ms: number;
  /** How much of it came after the fault was over. */
  readonly afterMs: number;
}

/** Instants of a measurement, by the machine's monotonic clock. */
export interface Measured {
  /** The fault began. */
  readonly from: number;
  /** It was over. */
  readonly over: number;
  /** The measurement ended: an instance that has not beaten again stands still until then. */
  readonly to: number;
}

/** The longest pause of each instance that began or went on after the fault. */
export function findStandstills(
  lines: readonly LedgerLine[],
  { from, over, to }: Measured,
): readonly Standstill[] {
  const last = new Map<string, number>();
  const longest = new Map<string, Standstill>();
  const end = (id: string, t: number): void => {
    const before = last.get(id);
    if (before === undefined || t < from) return;
    const ms = t - before;
    if (ms <= (longest.get(id)?.ms ?? -1)) return;
    longest.set(id, { id, ms, afterMs: Math.max(0, t - Math.max(before, over)) });
  };
  for (const line of lines) {
    if (line.kind !== "beat" || line.t > to) continue;
    end(line.id, line.t);
    last.set(line.id, line.t);
  }
  for (const id of last.keys()) end(id, to);
  return [...longest.values()];
}

/** On a machine with little else to do, 95 of 100 beats follow the one before sooner than this. */
const USUAL_MS = 800;

/**
 * How many times as long as usual the machine takes, 1 or more: by beats that one process made one after the other, which no fault
 * came between.
 */
export function findSlowness(lines: readonly LedgerLine[]): number {
  const last = new Map<string, number>();
  const pauses: number[] = [];
  for (const line of lines) {
    if (line.kind !== "beat") continue;
    const key = `${line.pid} ${line.id}`;
    const before = last.get(key);
    if (before !== undefined) pauses.push(line.t - before);
    last.set(key, line.t);
  }
  const p95Ms = pauses.toSorted((a, b) => a - b)[Math.floor(pauses.length * 0.95)] ?? 0;
  return Math.max(1, p95Ms / USUAL_MS);
}

/** Median and worst of those that a fault hit; of all where it hit none. */
export interface StandstillSummary {
  readonly hit: number;
  readonly medianMs: number;
  readonly worstMs: number;
  /** After the fault was over. */
  readonly worstAfterMs: number;
}

export function summarise(all: readonly Standstill[]): StandstillSummary {
  const hit = all.filter(({ ms }) => ms > BEYOND_MS);
  const sorted = (hit.length > 0 ? hit : all).toSorted((a, b) => a.ms - b.ms);
  return {
    hit: hit.length,
    medianMs: sorted[Math.floor(sorted.length / 2)]?.ms ?? 0,
    worstMs: sorted.at(-1)?.ms ?? 0,
    worstAfterMs: Math.max(0, ...sorted.map(({ afterMs }) => afterMs)),
  };
}
