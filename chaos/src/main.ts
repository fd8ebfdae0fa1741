/**
 * `npm run chaos`: real processes on real databases under faults, checked by an external ledger.
 *
 *   npm run chaos                            60 s on Postgres, then 30 s on one file
 *   npm run chaos -- --long                  10 minutes on Postgres beside 5 on sqld and 5 on one file;
 *                                            writes RESULTS.md
 *   npm run chaos -- --on file --seconds 60 --seed 7 --keep /tmp
 */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundleWorker } from "../../proofs/src/worker/spawn-worker.ts";
import { formatReport } from "./format-report.ts";
import { type ChaosReport, runChaos } from "./run-chaos.ts";
import { writeResults } from "./write-results.ts";
import { SUBJECTS, type SubjectName } from "./subjects/subjects.ts";

const { values } = parseArgs({
  options: {
    long: { type: "boolean", default: false },
    on: { type: "string" },
    seconds: { type: "string" },
    seed: { type: "string" },
    lease: { type: "string" },
    keep: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

/** Subjects one after the other, with how many seconds each. */
type Lane = readonly (readonly [SubjectName, number])[];

/** Side by side. */
const LONG: readonly Lane[] = [
  [["postgres", 600]],
  [
    ["sqld", 300],
    ["file", 300],
  ],
];
const SHORT: readonly Lane[] = [
  [
    ["postgres", 60],
    ["file", 30],
  ],
];

function choose(): readonly Lane[] {
  if (values.on === undefined) return values.long ? LONG : SHORT;
  if (!Object.hasOwn(SUBJECTS, values.on)) throw new RangeError(`there is no subject ${values.on}`);
  return [[[values.on as SubjectName, Number(values.seconds ?? "60")]]];
}

const seed = values.seed ?? String(Date.now() % 1_000_000);
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const bundle = await bundleWorker(new URL("worker.ts", import.meta.url));

async function run(name: SubjectName, seconds: number): Promise<ChaosReport> {
  say(`${name}: ${seconds} s, seed ${seed}`);
  const report = await runChaos({
    seed,
    openSubject: SUBJECTS[name],
    bundle,
    durationMs: seconds * 1000,
    size: 4,
    faultEveryMs: 2000,
    rate: 3,
    leaseMs: values.lease === undefined ? null : Number(values.lease),
    pollMs: null,
    batchTimeoutMs: null,
    quietMs: 120_000,
    keepLedger: (path) => {
      if (values.keep !== undefined) copyFileSync(path, join(values.keep, `ledger-${name}`));
    },
  });
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : formatReport(report));
  return report;
}

async function runLane(lane: Lane): Promise<readonly ChaosReport[]> {
  const reports: ChaosReport[] = [];
  for (const [name, seconds] of lane) reports.push(await run(name, seconds));
  return reports;
}

try {
  const reports = (await Promise.all(choose().map(runLane))).flat();
  if (values.long && values.on === undefined) writeResults(reports);
  process.exitCode = reports.every(({ violations }) => violations.length === 0) ? 0 : 1;
} finally {
  bundle.remove();
}
