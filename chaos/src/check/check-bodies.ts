/** What bodies did: how often they began, and whether any began that had been completed. */
import type { LedgerLine, SawLine, StartLine } from "../ledger.ts";
import type { StepRow } from "../tables.ts";
import type { Violation } from "./violation.ts";

type At<T> = T & { readonly t: number; readonly pid: number };

const nameOf = ({ id, key }: { readonly id: string; readonly key: string }): string =>
  `${id} ${key}`;

const describe = ({ t, pid, session, attempt, nonce }: At<StartLine>): string =>
  `t ${t.toFixed(0)} pid ${pid} session ${session} attempt ${attempt} nonce ${nonce}`;

/** A body that began after its step was known to be completed, and how that was known. */
export interface Repeat {
  readonly start: At<StartLine>;
  readonly completed: string;
}

/** What is known of a completed step, and since when. */
interface Completed {
  readonly t: number;
  readonly how: string;
}

/**
 * Bodies that began after their step was known to be completed: by the tables, or because a later body had begun. The lines of a
 * process that was frozen between a look at its clock and the write come late; what counts is when it looked.
 */
export function findRepeats(lines: readonly LedgerLine[]): readonly Repeat[] {
  const completed = new Map<string, Completed>();
  const keys = new Map<string, string>();
  const seen = new Map<string, SawLine[]>();
  const repeats: Repeat[] = [];
  for (const line of lines) {
    if (line.kind === "saw") seen.set(line.session, [...(seen.get(line.session) ?? []), line]);
    const { t } = line;
    if (line.kind === "durable")
      completed.set(nameOf(line), { t, how: `read in the table at t ${t.toFixed(0)}` });
    if (line.kind !== "start") continue;
    keys.set(line.nonce, line.key);
    const before = completed.get(nameOf(line));
    if (before !== undefined && t > before.t) repeats.push({ start: line, completed: before.how });
    for (const { what } of (seen.get(line.session) ?? []).slice(0, line.after)) {
      const key = keys.get(/ (\d+\.\d+\.\d+)$/.exec(what)?.[1] ?? "");
      if (key === undefined || completed.has(`${line.id} ${key}`)) continue;
      const how = `${line.key} had begun after it (${describe(line)})`;
      completed.set(`${line.id} ${key}`, { t, how });
    }
  }
  return repeats;
}

export const toRepeatViolations = (repeats: readonly Repeat[]): readonly Violation[] =>
  repeats.map(({ start, completed }) => ({
    promise: "completed-steps-stay",
    id: start.id,
    evidence: `${start.key} began again (${describe(start)}); it was completed: ${completed}`,
  }));

/** Steps whose bodies began more often than their rows say, or than their limits allow. */
export function findExcessAttempts(
  lines: readonly LedgerLine[],
  steps: readonly StepRow[],
): readonly Violation[] {
  const rows = new Map(steps.map((step) => [nameOf(step), step]));
  const openings = findOpenings(lines);
  const violations: Violation[] = [];
  for (const [name, starts] of groupStarts(lines)) {
    const { id, key, limit } = starts[0] as At<StartLine>;
    const told = `${key}: ${starts.map(describe).join("; ")}`;
    if (limit === 0 && starts.length > 1)
      violations.push({ promise: "at-most-once", id, evidence: told });
    const row = rows.get(name);
    // A body whose run ended without it, for instance the loser of a race, may have no row.
    if (row === undefined) continue;
    const known = starts.length - countUnknown(starts, openings);
    // A run may end while a step is still at it: its last attempt is then known to the lease alone.
    const isSettled = row.status === "completed" || row.status === "errored";
    const counted = row.attempts + row.lostAttempts + (isSettled ? 0 : 1);
    if (known > counted || row.attempts - row.lostAttempts > limit + 1) {
      const evidence = `${starts.length} starts, ${row.attempts} attempts, ${row.lostAttempts} lost: ${told}`;
      violations.push({ promise: "attempts-bounded", id, evidence });
    }
  }
  return violations;
}

/** Attempts that began again under their number: nobody could know that they had begun, for they opened a session. */
const countUnknown = (starts: readonly At<StartLine>[], openings: ReadonlySet<string>): number =>
  starts.filter(
    ({ attempt, nonce }, index) =>
      openings.has(nonce) && starts.slice(index + 1).some((later) => later.attempt === attempt),
  ).length;

/** Nonces of bodies that began before their session had anything to commit: only its lease stood for them. */
function findOpenings(lines: readonly LedgerLine[]): ReadonlySet<string> {
  /** How many things each session had seen when it first saw what it had not replayed. */
  const replayed = new Map<string, number>();
  const openings = new Set<string>();
  for (const line of lines) {
    if (
      line.kind === "saw" &&
      !replayed.has(line.session) &&
      line.what.includes(` ${line.session}.`)
    )
      replayed.set(line.session, line.n);
    if (line.kind === "start" && line.after <= (replayed.get(line.session) ?? Infinity))
      openings.add(line.nonce);
  }
  return openings;
}

/** Steps that failed although their bodies had not thrown often enough, and although they may be repeated. */
export function findUnplannedFailures(lines: readonly LedgerLine[]): readonly Violation[] {
  const limits = new Map<string, number>();
  const thrown = new Map<string, number>();
  const violations = new Map<string, Violation>();
  for (const line of lines) {
    if (line.kind === "start") limits.set(nameOf(line), line.limit);
    if (line.kind === "end" && line.outcome === "error")
      thrown.set(nameOf(line), (thrown.get(nameOf(line)) ?? 0) + 1);
    if (line.kind !== "saw") continue;
    const [, key, code] = /^(.+) ([A-Z_]+|[A-Za-z]*Error: .*)$/.exec(line.what) ?? [];
    if (key === undefined || code === undefined) continue;
    const name = `${line.id} ${key}`;
    const limit = limits.get(name) ?? 0;
    // At most once: a lost attempt is the end.
    if (limit === 0 || (thrown.get(name) ?? 0) > limit) continue;
    const evidence = `${key} failed with ${code} after ${thrown.get(name) ?? 0} failures, limit ${limit}`;
    violations.set(name, { promise: "failures-are-planned", id: line.id, evidence });
  }
  return [...violations.values()];
}

function groupStarts(lines: readonly LedgerLine[]): ReadonlyMap<string, readonly At<StartLine>[]> {
  const groups = new Map<string, At<StartLine>[]>();
  for (const line of lines) {
    if (line.kind !== "start") continue;
    const group = groups.get(nameOf(line)) ?? [];
    group.push(line);
    groups.set(nameOf(line), group);
  }
  return groups;
}
