/** The short form of `npm run chaos`, for every run of the tests. */
import { ofToday, today } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleWorker, type WorkerBundle } from "../../proofs/src/worker/spawn-worker.ts";
import type { Violation } from "./check/violation.ts";
import { formatReport } from "./format-report.ts";
import { type ChaosReport, runChaos } from "./run-chaos.ts";
import { SUBJECTS, type SubjectName } from "./subjects/subjects.ts";

/** Another one each day, so that a year of runs is not one run. */
const seed = process.env["CHAOS_SEED"] ?? `day ${today()}`;

/** The promises that this proves. */
const PROVEN: ReadonlySet<Violation["promise"]> = new Set([
  "completed-steps-stay",
  "at-most-once",
  "failures-are-planned",
  "order-stays",
  "results-are-those-of-bodies",
  "sleeps-are-kept",
  "events-once",
  "instances-end",
  "nothing-is-left",
  "processes-live",
  "processes-end",
  "logs-are-bounded",
]);

let bundle: WorkerBundle;
beforeAll(async () => {
  bundle = await bundleWorker(new URL("worker.ts", import.meta.url));
});
afterAll(() => bundle.remove());

const disturb = (name: SubjectName, seconds: number): Promise<ChaosReport> =>
  runChaos({
    seed,
    openSubject: SUBJECTS[name],
    bundle,
    durationMs: seconds * 1000,
    size: 3,
    faultEveryMs: 1200,
    rate: 2,
    leaseMs: 3000,
    pollMs: 500,
    batchTimeoutMs: 5000,
    quietMs: 60_000,
  });

/** One of the two each day. */
const OF_TODAY = ofToday<[SubjectName, number]>(
  [
    ["postgres", 30],
    ["file", 20],
  ],
  1,
);
it.each([...OF_TODAY])(
  "S5-031 S5-032 chaos on %s for %i s: killed, frozen, cut off, late and doubled, in two versions of the code",
  async (name, seconds) => {
    const report = await disturb(name, seconds);
    console.log(formatReport(report));
    expect(report.kills, "kills there were").toBeGreaterThan(2);
    const broken = report.violations.filter(({ promise }) => PROVEN.has(promise));
    expect(broken, `seed ${seed}`).toEqual([]);
  },
  480_000,
);
