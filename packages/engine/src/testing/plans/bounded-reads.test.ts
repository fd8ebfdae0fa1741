/**
 * No reading route reads more from the database than its bound, whatever the tables contain. Each is called over HTTP on Postgres and
 * on SQLite. Postgres explains the statements with the rows that they really read, and SQLite counts the steps that they take.
 */
import { postgresAvailable, startPostgres } from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { createPgDatabase } from "@escapement/db/pg";
import type { Dialect } from "@escapement/db/client";
import { createSqliteDatabase } from "@escapement/db/sqlite";
import Libsql from "libsql";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listRoutes } from "../../http/routes.ts";
import { createEngine, defineTopic, defineWorkflow } from "../../index.ts";
import { createSqlStore, migrate } from "../../stores/sql/index.ts";
import { countEventTypes, selectState } from "../../stores/sql/statements/explain.ts";
import { loadReply } from "../../stores/sql/statements/load-reply.ts";
import { loadInstance, selectNow } from "../../stores/sql/statements/load-instance.ts";
import { selectStream } from "../../stores/sql/statements/progress.ts";
import { fillAdversely, SILENT_TOPIC, TOPIC, WORKFLOWS } from "./adverse-rows.ts";
import { createStepCounter } from "./explain-sqlite.ts";
import { createExplainer } from "./explain.ts";
import { type Read, READS } from "./reading-routes.ts";

/** What a statement did: rows that it read, or steps that it took. */
interface Reading {
  readonly text: string;
  readonly cost: number;
  readonly wholeScans: readonly string[];
  readonly plan: unknown;
}

interface Subject {
  readonly database: Database;
  readonly fill: (texts: readonly string[]) => Promise<void>;
  /** Since the last time. */
  readonly takeReadings: () => readonly Reading[];
  /** The bound of the costs. */
  readonly mostOf: (read: Read) => number;
  readonly close: () => Promise<void>;
}

async function openPostgres(): Promise<Subject> {
  const server = await startPostgres({ durable: false, settings: { autovacuum: "off" } });
  const database = createPgDatabase({ connectionString: server.url, max: 1 });
  await migrate(database);
  await database.close();
  // Plans are made while the tables are empty, and kept.
  const explainer = await createExplainer(server.url, "force_generic_plan");
  return {
    database: explainer.database,
    async fill(texts) {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      for (const text of texts) await client.query(text);
      await client.end();
    },
    takeReadings: () =>
      explainer.readings
        .splice(0)
        .map(({ text, rowsRead: cost, wholeScans, plan }) => ({ text, cost, wholeScans, plan })),
    mostOf: ({ mostRows }) => mostRows,
    async close() {
      await explainer.close();
      await server.stop();
    },
  };
}

async function openSqlite(): Promise<Subject> {
  const { database, plain, readings, run } = createStepCounter();
  await migrate(plain);
  return {
    database,
    fill: async (texts) => texts.forEach(run),
    takeReadings: () =>
      readings
        .splice(0)
        .map(({ text, steps: cost, wholeScans, plan }) => ({ text, cost, wholeScans, plan })),
    mostOf: ({ mostSteps }) => mostSteps,
    close: () => database.close(),
  };
}

/** Statements of these routes without a limit of their own, and what bounds them. */
const withoutLimit = (dialect: Dialect): ReadonlyMap<string, string> =>
  new Map([
    [loadInstance(dialect), "an instance by its key"],
    [selectState(dialect), "an instance and its task by their keys"],
    [loadReply(dialect), "an event by its id"],
    [selectStream(dialect), "an instance by its key, and the last entry of its stream"],
    [selectNow(dialect), "no table"],
  ]);

/** A limit that limits. SQLite's -1 only keeps a subquery apart. */
const LIMIT = / limit (?!-1)/u;

test("S8-009 every reading route is asked here, and every statement of theirs without a limit is known", () => {
  const reading = listRoutes().filter(([, { policy }]) => policy === "read" || policy === "view");
  expect(reading.map(([name]) => name).toSorted()).toEqual(Object.keys(READS).toSorted());
  const dialects = [
    createPgDatabase({ connectionString: "postgres://127.0.0.1" }).dialect,
    createSqliteDatabase(new Libsql(":memory:")).dialect,
  ];
  for (const dialect of dialects) {
    for (const [text, why] of withoutLimit(dialect))
      if (why !== "no table") expect(text).toMatch(/ where /u);
    // Its limit applies to its result, and it reads as many rows as a run has.
    expect(countEventTypes(dialect)).toMatch(/ limit \d+$/u);
  }
});

type Ask = (path: string, body?: object) => Promise<Response>;

/** An engine over the database, and the number of its trips. */
async function openEngine(database: Database): Promise<{ ask: Ask; trips: { count: number } }> {
  const trips = { count: 0 };
  const engine = createEngine({
    workflows: Object.fromEntries(
      WORKFLOWS.map((name) => [name, defineWorkflow({ name }, async () => null)]),
    ),
    store: createSqlStore({
      database: {
        ...database,
        batch: (statements, options) => {
          trips.count += 1;
          return database.batch(statements, options);
        },
      },
    }),
    topics: [defineTopic({ name: TOPIC }), defineTopic({ name: SILENT_TOPIC })],
    bulk: true,
    http: { open: true },
    logger: { log: () => undefined },
  });
  await engine.startBulk({ id: "job-0", act: "retry", tag: "none" });
  const ask: Ask = (path, body) =>
    engine.fetch(
      new Request(`http://bounded.test/api/workflows${path}`, {
        ...(body && {
          method: "POST",
          body: JSON.stringify(body),
          headers: { "content-type": "application/json" },
        }),
      }),
    );
  return { ask, trips };
}

describe.each([
  { name: "Postgres", isHere: postgresAvailable(18), open: openPostgres },
  { name: "SQLite", isHere: true, open: openSqlite },
])("on $name tables that have thousands of everything", ({ isHere, open }) => {
  describe.skipIf(!isHere)("every reading route", () => {
    let subject: Subject;
    let ask: Ask;
    let trips: { count: number };

    beforeAll(async () => {
      subject = await open();
      ({ ask, trips } = await openEngine(subject.database));
      for (const { asks, body } of Object.values(READS))
        for (const path of asks) await ask(path, body);
      await subject.fill(fillAdversely(subject.database.dialect));
    }, 240_000);
    afterAll(() => subject.close());

    test.each(Object.entries(READS))(
      "S8-001 S8-009 %s: each statement has its bound, and a list takes one trip",
      async (_, read) => {
        const { asks, body, trips: mostTrips = 1, why } = read;
        const { takeReadings, database } = subject;
        const most = subject.mostOf(read);
        const known = withoutLimit(database.dialect);
        for (const path of asks) {
          takeReadings();
          trips.count = 0;
          const answer = await ask(path, body);
          expect([path, answer.status, trips.count]).toEqual([path, 200, mostTrips]);
          const readings = takeReadings();
          expect(readings.length > 0).toBe(mostTrips > 0);
          for (const { text, cost, wholeScans, plan } of readings) {
            const isKnown = LIMIT.test(text) || known.has(text);
            const isCheap = cost <= most && wholeScans.length === 0;
            if (isKnown && isCheap) continue;
            const found = { path, cost, most, why, isKnown, wholeScans, text };
            expect.fail(`${JSON.stringify(found)}\n${JSON.stringify(plan, null, 1)}`);
          }
        }
      },
      60_000,
    );
  });
});
