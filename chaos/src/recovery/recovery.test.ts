/** How fast a fleet with default settings recovers from the death of a process. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleWorker, type WorkerBundle } from "../../../proofs/src/worker/spawn-worker.ts";
import { openPostgresSubject } from "../subjects/postgres.ts";
import { measure } from "./measure.ts";
import { SCENARIOS } from "./scenarios.ts";
import { type StandstillSummary, summarise } from "./standstill.ts";

let bundle: WorkerBundle;
beforeAll(async () => {
  bundle = await bundleWorker(new URL("../worker.ts", import.meta.url));
});
afterAll(() => bundle.remove());

/** Measurements, until one is within its limit: a machine that something else holds up for a moment is measured again. */
const TRIES = 3;

type Worst = (summary: StandstillSummary) => number;

/** Of a machine that takes twice as long for everything as it usually does, twice the limit is asked. */
async function expectRecovery(
  name: string,
  worst: Worst,
  limitMs: number,
): Promise<StandstillSummary> {
  const scenario = SCENARIOS.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario "${name}"`);
  for (let tries = 1; ; tries += 1) {
    const measured = await measure({ openSubject: openPostgresSubject, bundle, scenario });
    const { standstills = [], slowness = 1 } = measured ?? {};
    expect(standstills, "instances measured").toHaveLength(60);
    const summary = summarise(standstills);
    console.log(`${name}: ${JSON.stringify({ ...summary, slowness })}`);
    const isWithin = worst(summary) <= limitMs * slowness;
    if (!isWithin && tries < TRIES) continue;
    expect(worst(summary)).toBeLessThanOrEqual(limitMs * slowness);
    return summary;
  }
}

it("S5-022 with default settings every instance goes on within 10 s of the SIGKILL of one of three processes", async () => {
  const name = "SIGKILL of one of three processes";
  const { hit } = await expectRecovery(name, ({ worstMs }) => worstMs, 10_000);
  expect(hit, "instances that the kill hit").toBeGreaterThan(0);
}, 480_000);

it("S5-022 with default settings every instance goes on within 2 s of the return of a process with the same runnerId", async () => {
  const name = "SIGKILL, and a process with the same `runnerId` starts at once";
  await expectRecovery(name, ({ worstAfterMs }) => worstAfterMs, 2000);
}, 480_000);
