/**
 * Measures an instance of 10 000 steps in the browser: when its steps can be used, when all are there, and how a jump through them draws.
 *
 *   npx tsx scripts/dashboard-speed.ts
 */
import { Pages } from "../packages/dashboard/src/testing-page.ts";
import { openScene } from "../packages/dashboard/src/testing-scene.ts";

const STEPS = 10_000;
const ROUNDS = 3;
const pages = await Pages.start(await openScene(STEPS));
const { page } = await pages.open("");
for (let round = 1; round <= ROUNDS; round += 1) {
  const startedAt = performance.now();
  const tookMs = (): string => `${Math.round(performance.now() - startedAt)} ms`;
  await page.goto("/dashboard/instances/long/long-1");
  await page.getByRole("button", { name: /^part do/ }).click();
  await page.getByRole("region", { name: "Step part" }).waitFor();
  const usable = tookMs();
  await page.getByText(STEPS.toLocaleString("en"), { exact: true }).waitFor();
  const whole = tookMs();
  const jumpMs = await page.evaluate(async () => {
    const box = document.querySelector(".lines");
    const from = performance.now();
    for (let count = 1; count <= 10; count += 1) {
      box?.scrollTo(0, count * 30_000);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return (performance.now() - from) / 10;
  });
  console.log(
    `a step is opened after ${usable}; all are there after ${whole}; a jump draws in ${jumpMs.toFixed(0)} ms`,
  );
}
await pages.stop();
