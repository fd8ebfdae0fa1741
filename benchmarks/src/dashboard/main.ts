/**
 * @module What 50 open pages of the dashboard cost the ticks of the same process: rounds with and without them, in turn.
 *
 *   npx tsx benchmarks/src/dashboard/main.ts [rounds] [pages]
 */
import { dashboard } from "@escapement/dashboard";
import { createEngine, defineWorkflow } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { openEmbedded } from "../stores/embedded.ts";
import { askAll, openPages, toRate } from "./open-pages.ts";

const [rounds = 5, pageCount = 50] = process.argv.slice(2).map(Number);
/** Of a round with and one without pages; before it is measured, the pages have been open for a while. */
const ROUND_MS = 8000;
const OPEN_MS = 5000;

const BENCH = defineWorkflow({ name: "bench" }, async (_event, step) => {
  for (const name of ["one", "two", "three"]) await step.do(name, () => name);
});

/** Instances that ended, by second of time and by second of the processor. */
interface Round {
  readonly bySecond: number;
  readonly byCpuSecond: number;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const stage = openEmbedded();
const database = stage.openDatabase(1);
await migrate(database);
const engine = createEngine({ workflows: { BENCH }, store: createSqlStore({ database }) });
const answer = dashboard(engine, { authorize: () => true });
await engine.createInstance("bench", { id: "watched" });

let created = 0;

/** Creates instances and runs them by ticks, for so long. */
async function runFor(ms: number): Promise<Round> {
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  let ended = 0;
  while (performance.now() - startedAt < ms) {
    const batch = Array.from({ length: 50 }, () => ({ id: `order-${(created += 1)}` }));
    await engine.createBatch("bench", batch);
    for (let isBusy = true; isBusy;) isBusy = (await engine.tick()).processed > 0;
    ended += batch.length;
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  const seconds = (performance.now() - startedAt) / 1000;
  return { bySecond: ended / seconds, byCpuSecond: ended / ((user + system) / 1_000_000) };
}

await runFor(ROUND_MS);
const without: Round[] = [];
const withPages: Round[] = [];
let requests = 0;
let unchanged = 0;
for (let round = 0; round < rounds; round += 1) {
  without.push(await runFor(ROUND_MS));
  const pages = openPages(answer, pageCount);
  await runFor(OPEN_MS);
  const before = pages.asked();
  withPages.push(await runFor(ROUND_MS));
  const after = pages.asked();
  await pages.close();
  requests += after.requests - before.requests;
  unchanged += after.unchanged - before.unchanged;
}
/** Milliseconds of the processor for a request, as they come from pages. */
async function measureRequest(): Promise<number> {
  await askAll(answer, 50);
  const cpuBefore = process.cpuUsage();
  const asked = await askAll(answer, 300);
  const { user, system } = process.cpuUsage(cpuBefore);
  return (user + system) / 1000 / asked;
}
const requestMs = await measureRequest();
await stage.remove();

const line = (name: string, pick: (round: Round) => number): string => {
  const [alone, watched] = [median(without.map(pick)), median(withPages.map(pick))];
  return `${name}: ${alone.toFixed(0)} without, ${watched.toFixed(0)} with ${pageCount} pages, ratio ${(watched / alone).toFixed(3)}`;
};
console.log(line("instances a second", ({ bySecond }) => bySecond));
console.log(line("instances a second of the processor", ({ byCpuSecond }) => byCpuSecond));
console.log(
  `${requests} requests in ${rounds} rounds of ${ROUND_MS / 1000} s, ${unchanged} of them unchanged`,
);
const share = (requestMs * toRate(pageCount)) / 10;
console.log(
  `a request: ${requestMs.toFixed(2)} ms of the processor; ${toRate(pageCount).toFixed(0)} a second while all changes: ${share.toFixed(1)} % of one`,
);
