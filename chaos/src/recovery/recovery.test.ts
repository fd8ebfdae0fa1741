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

async function recover(name: string): Promise<StandstillSummary> {
  const scenario = SCENARIOS.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario "${name}"`);
  const standstills = await measure({ openSubject: openPostgresSubject, bundle, scenario });
  expect(standstills, "instances measured").toHaveLength(60);
  const summary = summarise(standstills ?? []);
  console.log(`${name}: ${JSON.stringify(summary)}`);
  return summary;
}

it("S5-022 with default settings every instance goes on within 10 s of the SIGKILL of one of three processes", async () => {
  const { hit, worstMs } = await recover("SIGKILL of one of three processes");
  expect(hit, "instances that the kill hit").toBeGreaterThan(0);
  expect(worstMs).toBeLessThanOrEqual(10_000);
}, 480_000);

it("S5-022 with default settings every instance goes on within 2 s of the return of a process with the same runnerId", async () => {
  const name = "SIGKILL, and a process with the same `runnerId` starts at once";
  const { worstAfterMs } = await recover(name);
  expect(worstAfterMs).toBeLessThanOrEqual(2000);
}, 480_000);
