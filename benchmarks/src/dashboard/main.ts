/**
 * @module What 50 open pages of the dashboard cost the ticks of the same process: rounds with and without them, in pairs whose order
 * turns round, by the clock and by time on processors.
 *
 *   npx tsx benchmarks/src/dashboard/main.ts [pairs] [pages] [embedded|postgres]
 */
import { dashboard } from "@escapement/dashboard";
import { createEngine, defineWorkflow } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { createServerClock } from "../processor-time.ts";
import { openEmbedded } from "../stores/embedded.ts";
import { openPostgres } from "../stores/postgres.ts";
import { measureQuestions } from "./measure-questions.ts";
import { openPages } from "./open-pages.ts";
import { type Half, type Pair, printPairs } from "./report.ts";
import { createTicks } from "./ticks.ts";

const [pairCount = 12, pageCount = 50] = process.argv.slice(2, 4).map(Number);
const storeName = process.argv[4] ?? "embedded";
/** Of one half of a pair; before it is measured, the pages have been open for a while. */
const ROUND_MS = 4000;
const OPEN_MS = 4000;
const SETTLE_MS = 60_000;

const BENCH = defineWorkflow({ name: "bench" }, async (_event, step) => {
  for (const name of ["one", "two", "three"]) await step.do(name, () => name);
});
/** Failures, which the overview groups. */
const BROKEN = defineWorkflow({ name: "broken" }, async ({ instanceId }, step) => {
  const fail = (): never => {
    throw new RangeError(`the card of "${instanceId}" was refused by its bank`);
  };
  await step.do("charge", { retries: { limit: 0, delay: 0 } }, fail);
});
/** A step each second, for an hour; but one has ended. */
const WATCHED = defineWorkflow({ name: "watched" }, async ({ instanceId }, step) => {
  const rounds = instanceId === "ended" ? 0 : 3600;
  for (let round = 1; round <= rounds; round += 1) {
    await step.do("look", () => round);
    await step.sleep("rest", "1 second");
  }
});

const stage = storeName === "postgres" ? await openPostgres(null) : openEmbedded();
const database = stage.openDatabase(8);
await migrate(database);
const engine = createEngine({
  workflows: { BENCH, BROKEN, WATCHED },
  store: createSqlStore({ database }),
  logger: { log: () => undefined },
});
const answer = dashboard(engine, { authorize: () => true });
const going = Array.from({ length: Math.ceil(pageCount / 5) }, (_, index) => `going-${index}`);
await engine.createBatch(
  "watched",
  ["ended", ...going].map((id) => ({ id })),
);
await engine.createBatch(
  "broken",
  Array.from({ length: 100 }, (_, index) => ({ id: `order-${index}` })),
);
const server = await createServerClock(database);
const { runFor } = createTicks(engine, server);
await runFor(2 * ROUND_MS);

const pages = openPages(answer, pageCount, { going, ended: "ended" });
// What does not change is asked for ever less: that is how pages that stand open are.
pages.show(true);
await runFor(SETTLE_MS);

const pairs: Pair[] = [];
let isSeen = true;
for (let pair = 0; pair < pairCount; pair += 1) {
  const measure = async (): Promise<Half> => {
    const before = pages.asked();
    return { round: await runFor(ROUND_MS), before, after: pages.asked() };
  };
  // The second half of a pair is as the first of the next.
  const first = await measure();
  isSeen = !isSeen;
  pages.show(isSeen);
  await runFor(isSeen ? OPEN_MS : OPEN_MS / 4);
  const second = await measure();
  const [alone, shown] = isSeen ? [first, second] : [second, first];
  pairs.push({ alone, shown });
}
await pages.close();
const questions = await measureQuestions(answer, server, pages.asked());
await engine.close();
await stage.remove();
printPairs(pairs, { pageCount, storeName, seconds: ROUND_MS / 1000, questions });
process.exit(0);
