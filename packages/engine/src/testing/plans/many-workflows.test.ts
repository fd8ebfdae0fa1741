/** An engine of very many workflows finds and counts in one trip of bounded rows and bytes, whichever of them has the instances. */
import {
  createPostgresDatabase,
  postgresAvailable,
  type TestDatabase,
} from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { createPgDatabase } from "@escapement/db/pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine, defineWorkflow, type Engine } from "../../index.ts";
import { MOST_COUNTED } from "../../ports/find-instances.ts";
import { PAGE_BYTES } from "../../ports/pages.ts";
import { createSqlStore, migrate } from "../../stores/sql/index.ts";
import { createExplainer, type Explainer } from "./explain.ts";

const WORKFLOWS = 250;
const OF_EACH = 60;
const NAMES = Array.from({ length: WORKFLOWS }, (_, index) => `w${index}`);
const OUTPUT_BYTES = 15_000;

/** In turns, and ten thousand that are newer of one of them. */
const fill = (): readonly string[] => {
  const columns = `("id", "workflowName", "instanceId", "runNumber", "status", "pauseRequested", "createdAt", "updatedAt", "output") `;
  const into = `insert into "workflow_instance_workflows" ${columns}`;
  const at = (ms: string): string =>
    `timestamp '2026-01-01' + (${ms}) * interval '1 millisecond', now()`;
  const status = `case n % 4 when 0 then 'waiting' when 1 then 'errored' else 'complete' end`;
  const output = `case when n > ${OF_EACH - 10} then '"' || repeat('x', ${OUTPUT_BYTES}) || '"' end`;
  return [
    `${into} select 'a' || w || '-' || n, 'w' || w, 'a' || n, 1, ${status}, false, ${at(`n * 1000 + w`)}, ${output} ` +
      `from generate_series(0, ${WORKFLOWS - 1}) as w, generate_series(1, ${OF_EACH}) as n`,
    `${into} select 'b' || n, 'w7', 'b' || n, 1, 'terminated', false, ${at("9e6 + n")}, null from generate_series(1, 10000) as n`,
  ];
};

describe.skipIf(!postgresAvailable(18))("an engine of 250 workflows", () => {
  let database: TestDatabase;
  let explainer: Explainer;
  let engine: Engine;
  let trips = 0;
  let bytes = 0;

  const watch = (watched: Database): Database => ({
    ...watched,
    async batch(statements, options) {
      trips += 1;
      const result = await watched.batch(statements, options);
      bytes += JSON.stringify(result).length;
      return result;
    },
  });

  beforeAll(async () => {
    database = await createPostgresDatabase();
    const plain = createPgDatabase({ connectionString: database.url, max: 1 });
    await migrate(plain);
    for (const text of fill()) await plain.batch([{ text, values: [] }]);
    await plain.close();
    explainer = await createExplainer(database.url, "force_generic_plan");
    engine = createEngine({
      workflows: Object.fromEntries(
        NAMES.map((name) => [name, defineWorkflow({ name }, async () => null)]),
      ),
      store: createSqlStore({ database: watch(explainer.database) }),
    });
  }, 120_000);

  afterAll(async () => {
    await engine.close();
    await explainer.close();
    await database.drop();
  });

  /** What a question costs. */
  async function measure(ask: () => Promise<unknown>) {
    explainer.readings.length = 0;
    [trips, bytes] = [0, 0];
    await ask();
    const { readings } = explainer;
    expect(readings.flatMap(({ wholeScans }) => wholeScans)).toEqual([]);
    const rows = Math.max(...readings.map(({ rowsRead }) => rowsRead));
    return { trips, bytes, rows };
  }

  test.each([
    ["all are equally new", { createdBefore: Date.UTC(2026, 0, 1, 0, 0, 40) }],
    ["one has all the newest", {}],
    ["of two statuses", { status: ["errored", "waiting"] as const }],
    ["a filter that all match", { updatedFrom: 1 }],
    ["a filter that none match", { tag: "none" }],
  ])(
    "S8-001 S8-009 a page reads little more than it shows of each 200 pairs, and is no larger than one of few: %s",
    async (_, filter) => {
      let cursor: string | undefined;
      for (let page = 0; page < 3; page += 1) {
        const asked = { ...filter, pageSize: 100, ...(cursor === undefined ? {} : { cursor }) };
        const cost = await measure(async () => {
          ({ cursor } = await engine.findInstances(asked));
        });
        expect(cost.trips).toBe(1);
        expect(cost.rows).toBeLessThan(3500);
        expect(cost.bytes).toBeLessThan(1.5 * PAGE_BYTES);
      }
    },
  );

  test("S8-001 with a filter, the one workflow that has all the newest is looked at as if it were alone", async () => {
    let [pages, cursor]: [number, string | undefined] = [0, undefined];
    do {
      const page = await engine.findInstances({
        tag: "none",
        createdFrom: Date.UTC(2026, 0, 1, 2),
        ...(cursor === undefined ? {} : { cursor }),
      });
      ({ cursor } = page);
      pages += 1;
    } while (cursor !== undefined);
    // Ten thousand.
    expect(pages).toBeLessThan(15);
  });

  test("S8-001 counts of all workflows and statuses are one trip, and each statement has its bound", async () => {
    const all = await measure(() => engine.countInstances());
    expect(all.trips).toBe(1);
    expect(all.rows).toBeLessThanOrEqual(MOST_COUNTED);
    const tagged = await measure(() => engine.countInstances({ tag: "none" }));
    expect(tagged.trips).toBe(1);
    expect(tagged.rows).toBeLessThanOrEqual(MOST_COUNTED);
  });
});
