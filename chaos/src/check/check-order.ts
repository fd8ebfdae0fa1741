/** What author code saw: every session of an instance must see the same things in the same order. */
import type { LedgerLine, SawLine } from "../ledger.ts";
import type { Violation } from "./violation.ts";

/** One execution of a workflow function. */
interface Session {
  readonly name: string;
  /** Line of the ledger at which it began. */
  readonly beganAt: number;
  readonly seen: SawLine[];
  /** A body began at this line that was called after so many things had been seen: those are kept for sure. */
  readonly kept: { readonly at: number; readonly count: number }[];
}

/**
 * Sessions that saw other things, or in another order, than what was kept.
 *
 * @param stale sessions that run completed steps again: what they see is not what is kept, which is told of elsewhere
 */
export function findOrderChanges(
  lines: readonly LedgerLine[],
  stale: ReadonlySet<string> = new Set(),
): readonly Violation[] {
  const violations: Violation[] = [];
  for (const [id, all] of groupSessions(lines)) {
    const sessions = all.filter(({ name }) => !stale.has(name));
    for (const earlier of sessions) {
      const found = sessions
        .filter((later) => later !== earlier)
        .map((later) => ({ later, place: firstChange(earlier, later) }))
        .find(({ place }) => place !== null);
      if (found === undefined) continue;
      const { later, place } = found;
      const evidence = `place ${place}: session ${earlier.name} saw ${toldFrom(earlier, place ?? 0)}; session ${later.name} saw ${toldFrom(later, place ?? 0)}`;
      violations.push({ promise: "order-stays", id, evidence });
      break;
    }
  }
  return violations;
}

/** Where the later session differs from what the earlier one had kept; null: nowhere. */
function firstChange(earlier: Session, later: Session): number | null {
  // What was kept before it began, it replays. What both kept while they ran side by side is the same, too.
  const replayed = countKept(earlier, later.beganAt);
  const both = Math.min(countKept(earlier, Infinity), countKept(later, Infinity));
  const count = Math.min(Math.max(replayed, both), earlier.seen.length, later.seen.length);
  for (let place = 0; place < count; place += 1)
    if (earlier.seen[place]?.what !== later.seen[place]?.what) return place;
  return null;
}

const countKept = ({ kept }: Session, before: number): number =>
  Math.max(0, ...kept.filter(({ at }) => at < before).map(({ count }) => count));

const toldFrom = (session: Session, place: number): string => {
  const told = session.seen.slice(Math.max(0, place - 1), place + 4).map(({ what }) => what);
  return `${JSON.stringify(told)} (kept ${countKept(session, Infinity)})`;
};

function groupSessions(lines: readonly LedgerLine[]): ReadonlyMap<string, readonly Session[]> {
  const byId = new Map<string, Session[]>();
  const byName = new Map<string, Session>();
  for (const [at, line] of lines.entries()) {
    if (line.kind === "begin") {
      const session: Session = { name: line.session, beganAt: at, seen: [], kept: [] };
      byName.set(line.session, session);
      byId.set(line.id, [...(byId.get(line.id) ?? []), session]);
    }
    if (line.kind === "saw") byName.get(line.session)?.seen.push(line);
    if (line.kind === "start") byName.get(line.session)?.kept.push({ at, count: line.after });
  }
  return byId;
}

/** Results that author code was given although no body returned them. */
export function findForeignResults(lines: readonly LedgerLine[]): readonly Violation[] {
  const returned = new Set<string>();
  const violations = new Map<string, Violation>();
  for (const line of lines) {
    if (line.kind === "end" && line.outcome === "value") returned.add(`${line.id} ${line.nonce}`);
    const nonce = line.kind === "saw" ? / (\d+\.\d+\.\d+)$/.exec(line.what)?.[1] : undefined;
    if (line.kind !== "saw" || nonce === undefined) continue;
    const name = `${line.id} ${nonce}`;
    if (returned.has(name)) continue;
    const evidence = `${line.what}: no body returned it`;
    violations.set(name, { promise: "results-are-those-of-bodies", id: line.id, evidence });
  }
  return [...violations.values()];
}

/** Sleeps after which author code went on too early. */
export function findShortSleeps(lines: readonly LedgerLine[]): readonly Violation[] {
  const calls = new Map<string, { readonly t: number; readonly ms: number }>();
  const violations = new Map<string, Violation>();
  for (const line of lines) {
    if (line.kind === "sleep") {
      const name = `${line.id} ${line.name}`;
      if (!calls.has(name)) calls.set(name, { t: line.t, ms: line.ms });
    }
    if (line.kind !== "saw" || !line.what.endsWith(" over")) continue;
    const call = calls.get(`${line.id} ${line.what.slice(0, -" over".length)}`);
    // Instants are whole milliseconds in the database.
    if (call === undefined || line.t - call.t >= call.ms - 2) continue;
    const evidence = `${line.what} after ${(line.t - call.t).toFixed(1)} of ${call.ms} ms`;
    violations.set(`${line.id} ${line.what}`, {
      promise: "sleeps-are-kept",
      id: line.id,
      evidence,
    });
  }
  return [...violations.values()];
}
