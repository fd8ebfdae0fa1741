/** `npm run example poller`: two years of checks, one every ten minutes, on a clock that does not make anybody wait. */
import { createHarness } from "@escapement/engine/testing";
import { poller } from "./poller.ts";

const CHECKS = Number(process.argv[2] ?? 100_000);
const DAY_MS = 86_400_000;

const harness = createHarness({ workflows: { POLLER: poller } });
await harness.workflows.POLLER.create({ id: "watch", params: CHECKS });
const startedAt = harness.clock.now();
const begin = performance.now();

console.log(`${CHECKS} checks, one every ten minutes, on a virtual clock. A line each 60 days:`);

const isOver = async (): Promise<boolean> =>
  (await harness.status("poller", "watch")).status === "complete";

while (!(await isOver())) {
  await harness.runThroughTime(60 * DAY_MS);
  const { steps } = await harness.history("poller", "watch");
  const loop = steps.find(({ stepKey }) => stepKey === "watch");
  const days = Math.round((harness.clock.now() - startedAt) / DAY_MS);
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  console.log(
    `day ${String(days).padStart(4)}  iteration ${String((loop?.result as { iteration?: number })?.iteration ?? CHECKS).padStart(6)}  ${String(steps.length).padStart(3)} rows  ${seconds.padStart(5)} s`,
  );
}
console.log((await harness.status("poller", "watch")).output);
