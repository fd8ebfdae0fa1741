/** What the processes themselves did: whether they lived, and how much they logged. */
import type { Fleet, LogLine } from "../fleet.ts";
import type { Violation } from "./violation.ts";

/** S5-031. */
const LINES_A_MINUTE = 20;
const MINUTE_MS = 60_000;

/** What author code has done is told for each run, by design: failed attempts, races left alone, a deploy's divergence. */
const OF_AUTHORS =
  /"event":"(step\.not_awaited|step\.attempt_failed|run\.errored|history\.diverged)"/;

/** Processes that ended although nobody had told them to. */
export const findDeaths = ({ unexpectedExits }: Fleet): readonly Violation[] =>
  unexpectedExits.map(({ pid, code, signal, lastLines }) => ({
    promise: "processes-live",
    id: `pid ${pid}`,
    evidence: `ended by itself: code ${code}, signal ${signal}\n${lastLines.join("\n")}`,
  }));

/** Most lines that any process logged within a minute, without those about failures of author code. */
export function countLogLines(lines: readonly LogLine[]): {
  readonly most: number;
  readonly sample: readonly string[];
} {
  const byPid = new Map<number, LogLine[]>();
  for (const line of lines) {
    if (OF_AUTHORS.test(line.text)) continue;
    byPid.set(line.pid, [...(byPid.get(line.pid) ?? []), line]);
  }
  let most: readonly LogLine[] = [];
  for (const own of byPid.values()) {
    let first = 0;
    for (const [last, { t }] of own.entries()) {
      while (t - (own[first]?.t ?? t) > MINUTE_MS) first += 1;
      if (last - first + 1 > most.length) most = own.slice(first, last + 1);
    }
  }
  return { most: most.length, sample: most.slice(0, 40).map(({ text }) => text) };
}

export function findLoudLogs(lines: readonly LogLine[]): readonly Violation[] {
  const { most, sample } = countLogLines(lines);
  if (most <= LINES_A_MINUTE) return [];
  const evidence = `${most} lines within a minute:\n${sample.join("\n")}`;
  return [{ promise: "logs-are-bounded", id: "a process", evidence }];
}
