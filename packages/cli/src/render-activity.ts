/** Activity over time, for people. */
import type { Activity } from "./client.ts";
import { type Column, toTable } from "./table.ts";
import { toTime } from "./to-time.ts";

type Bucket = Activity["buckets"][number];

const COLUMNS = [
  "FROM",
  "CREATED",
  "COMPLETE",
  "ERRORED",
  "TERMINATED",
  "STARTED",
  "START WAIT",
  "WAITS",
  "LATENESS",
].map((title): Column => ({ title, mayBeCut: false }));
const DUE = ["WORKFLOW", "DUE NOW", "SINCE"].map((title): Column => ({ title, mayBeCut: false }));

interface Look {
  readonly last: string;
  readonly width: number | null;
}

/** Totals, one line per period with any activity, and what is due. */
export function renderActivity(answer: Activity, { last, width }: Look): string {
  const { buckets, due, lookedFrom } = answer;
  const sum = (kind: "complete" | "errored"): number =>
    buckets.reduce((total, bucket) => total + bucket[kind], 0);
  const rows = buckets.map(toRow).filter(([, ...numbers]) => numbers.some((text) => text !== ""));
  const durations = rows.length === 0 ? "" : "START WAIT and LATENESS: 95 of 100 took no longer.\n";
  const cut =
    lookedFrom === undefined
      ? ""
      : `Only the newest instances were looked at: none of those created before ${toTime(lookedFrom)}.\n`;
  const counts = due.map(({ workflowName, count, isCapped, oldestAt }) => [
    workflowName,
    `${count}${isCapped ? "+" : ""}`,
    toTime(oldestAt),
  ]);
  return (
    `In the last ${last} ${sum("complete")} completed and ${sum("errored")} failed.\n` +
    (rows.length === 0 ? "" : `\n${toTable(COLUMNS, rows, width)}${durations}`) +
    `${cut}\n${due.length === 0 ? "Nothing waits for a runner.\n" : toTable(DUE, counts, width)}`
  );
}

function toRow(bucket: Bucket): readonly string[] {
  const { at, created, complete, errored, terminated, started, waitsEnded } = bucket;
  const number = (value: number): string => (value === 0 ? "" : String(value));
  return [
    toTime(at),
    ...[created, complete, errored, terminated, started].map(number),
    toSpread(bucket.waitMs),
    number(waitsEnded),
    toSpread(bucket.latenessMs),
  ];
}

const toSpread = (spread: Bucket["waitMs"]): string =>
  spread === null
    ? ""
    : spread.p95 < 1000
      ? `${Math.round(spread.p95)} ms`
      : `${(spread.p95 / 1000).toFixed(1)} s`;
