/**
 * No statement's plan on Postgres depends on luck: each is explained as the store uses it, with adverse statistics, and reads no more
 * than its bound. Measured in rows and pages, not in time.
 *
 * `PLANS_ROWS` (300 000 by `npm run plans:all`) and the versions that are installed say how far it goes. Without it there are fewer
 * draws and fewer sizes.
 */
import {
  ofToday,
  postgresAvailable,
  type PostgresServer,
  type PostgresVersion,
  startPostgres,
} from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { createPgDatabase } from "@escapement/db/pg";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../../testing/store-contract/builders.ts";
import { createSqlStore, migrate } from "../index.ts";
import {
  createExplainer,
  type Explainer,
  type PlanReading,
} from "../../../testing/plans/explain.ts";
import { finishedRuns, progressRows, queuedRuns, topicRows } from "../../../testing/plans/rows.ts";
import { listenOnce, ROWS_BOUND, useEveryVerb } from "../../../testing/plans/verbs.ts";
import { newInstance } from "../../../testing/plans/instances.ts";
import { allTexts } from "../../../testing/plans/texts.ts";

const isLong = process.env["PLANS_ROWS"] !== undefined;
const ROWS = Number(process.env["PLANS_ROWS"] ?? "30000");
const VERSIONS: readonly PostgresVersion[] = [14, 15, 16, 17, 18];
/** The oldest and the newest, which differ most, take turns by the day. */
const SHORT: readonly PostgresVersion[] = [14, 18];
const versions = (isLong ? VERSIONS : ofToday(SHORT, 1)).filter(postgresAvailable);

/** A look-up by key reads a few pages; a walk through the smallest table here more than a thousand. */
const PAGES_BOUND = 800;

const FEW = "Aardvark";
const MANY = "Zebra";

describe.each(versions)("plans on PostgreSQL %i", (version) => {
  let server: PostgresServer;
  beforeAll(async () => {
    // The test sets the statistics.
    server = await startPostgres({ version, durable: false, settings: { autovacuum: "off" } });
  }, 240_000);
  afterAll(() => server.stop());

  async function freshDatabase(): Promise<{ readonly url: string; readonly client: pg.Client }> {
    const name = `plans_${newId().toLowerCase()}`;
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    await admin.query(`create database ${name}`);
    await admin.end();
    const url = server.url.replace(/\/postgres$/u, `/${name}`);
    const database = createPgDatabase({ connectionString: url, max: 1 });
    await migrate(database);
    await database.close();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return { url, client };
  }

  const { dialect } = createPgDatabase({ connectionString: "postgres://127.0.0.1" });

  /** Few sleepers of one workflow, a long history and as many sleepers of another, and due tasks of a third. */
  async function fill(client: pg.Client, few: string, many: string): Promise<void> {
    const texts = [
      ...finishedRuns(dialect, { workflowName: many, count: ROWS }),
      ...queuedRuns(dialect, { workflowName: few, count: 20, isDue: false }),
      ...queuedRuns(dialect, { workflowName: many, count: ROWS / 3, isDue: false }),
      ...queuedRuns(dialect, { workflowName: "Other", count: ROWS / 3, isDue: true }),
      ...topicRows(dialect, { workflowName: "Others", count: ROWS / 3 }),
      ...progressRows(dialect, { workflowName: many, count: ROWS / 3 }),
    ];
    for (const text of texts) await client.query(text);
  }

  async function readEvery(explainer: Explainer, workflowName: string): Promise<void> {
    const database = { ...explainer.database, listen: listenOnce };
    const store = createSqlStore({ database, notify: true });
    await useEveryVerb(store, dialect, workflowName);
    const later = { ...newInstance(workflowName), start: { inMs: 9e9 } };
    await createSqlStore({ database: raced(database) }).create([later]);
  }

  /** As if another create with the id were under way: the statement for a lone create is refused, and others are used. */
  const raced = (database: Database): Database => ({
    ...database,
    async batch(statements, options) {
      const result = await database.batch(statements, options);
      const isLone = statements[0]?.text.startsWith("with made as") === true;
      return isLone ? { kind: "unique", constraint: "the id's" } : result;
    },
  });

  const expectBounded = (readings: readonly PlanReading[]): void => {
    for (const { text, rowsRead, pagesRead, wholeScans, plan } of readings) {
      const isBounded =
        rowsRead <= ROWS_BOUND && pagesRead <= PAGES_BOUND && wholeScans.length === 0;
      const found = { text, rowsRead, pagesRead, wholeScans };
      if (!isBounded) expect.fail(`${JSON.stringify(found)}\n${JSON.stringify(plan, null, 1)}`);
    }
  };

  test.each([
    { few: FEW, many: MANY, draws: isLong ? 10 : 2 },
    { few: MANY, many: FEW, draws: 2 },
  ])(
    "few of $few beside many finished of $many: never analysed, and after each draw of ANALYZE, no plan turns",
    async ({ few, many, draws }) => {
      const { url, client } = await freshDatabase();
      await fill(client, few, many);
      const seen = new Set<string>();
      for (let draw = 0; draw <= draws; draw += 1) {
        if (draw > 0) await client.query("analyze");
        const mode = draw % 2 === 0 ? "force_generic_plan" : "force_custom_plan";
        const explainer = await createExplainer(url, mode);
        await readEvery(explainer, few);
        await explainer.close();
        expectBounded(explainer.readings);
        for (const { text } of explainer.readings) seen.add(text);
      }
      expect([...allTexts(dialect)].filter((text) => !seen.has(text))).toEqual([]);
      await client.end();
    },
    900_000,
  );

  test.each(isLong ? [0, 1, 3, 10, 100] : [0, 3, 100])(
    "analysed at %i rows and grown since: plans made then and plans made now read no more",
    async (count) => {
      const { url, client } = await freshDatabase();
      for (const text of [
        ...finishedRuns(dialect, { workflowName: "First", count }),
        ...queuedRuns(dialect, { workflowName: "First", count, isDue: false }),
      ]) {
        await client.query(text);
      }
      await client.query("vacuum analyze");
      const early = await createExplainer(url, "force_generic_plan");
      await early.prepare(allTexts(dialect));
      await fill(client, FEW, MANY);
      const late = await createExplainer(url, "force_custom_plan");
      for (const explainer of [early, late]) {
        await readEvery(explainer, MANY);
        await explainer.close();
        expectBounded(explainer.readings);
      }
      await client.end();
    },
    900_000,
  );
});
