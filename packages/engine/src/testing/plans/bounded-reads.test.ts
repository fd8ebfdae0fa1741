/**
 * No reading route reads more from the database than its bound, whatever the tables contain. Each is called over HTTP, and its
 * statements are explained with what they really read.
 */
import {
  postgresAvailable,
  type PostgresServer,
  startPostgres,
} from "@escapement-internal/test-servers";
import { createPgDatabase } from "@escapement/db/pg";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHILDREN_LOOKED_AT } from "../../core/explain/facts.ts";
import { listRoutes } from "../../http/routes.ts";
import { createEngine, defineTopic, defineWorkflow } from "../../index.ts";
import { LOOKED_AT, MAX_IN_ORDER, MOST_COUNTED } from "../../ports/find-instances.ts";
import {
  ACTIVITY_LOOKED_AT,
  CALLBACKS_LOOKED_AT,
  DUE_COUNTED,
  WAITS_LOOKED_AT,
} from "../../ports/overview.ts";
import { WAITS_OF_TOPIC_LOOKED_AT } from "../../ports/topics.ts";
import { createSqlStore, migrate } from "../../stores/sql/index.ts";
import { countEventTypes, selectState } from "../../stores/sql/statements/explain.ts";
import { loadReply } from "../../stores/sql/statements/load-reply.ts";
import { loadInstance, selectNow } from "../../stores/sql/statements/load-instance.ts";
import { selectStream } from "../../stores/sql/statements/progress.ts";
import {
  BIG,
  fillAdversely,
  MANY,
  PARENT_PATH,
  SILENT_TOPIC,
  TOPIC,
  WORKFLOWS,
} from "./adverse-rows.ts";
import { createExplainer, type Explainer } from "./explain.ts";

/** How a route is called, and the most that one of its statements reads. */
interface Read {
  readonly asks: readonly string[];
  readonly body?: object;
  readonly mostRows: number;
  /** @default 1 */
  readonly trips?: number;
  /** The reason for the bound. */
  readonly why: string;
}

const PAGE = 100;
/** A page is read twice: by its keys, and with its payloads. One more row shows whether there is another page. */
const OF_PAGE = 3 * (PAGE + 1);
/** It looks at the rows that match a filter and their tasks, and reads a page of them. */
const OF_LOOK = 2 * LOOKED_AT + MAX_IN_ORDER + OF_PAGE;

/** The steps or events of a run, and its children, from two ends. */
const OF_EXPLAINED = MANY + 2 * CHILDREN_LOOKED_AT + 10;

const FILTERS = [
  "",
  "&status=waiting,errored",
  "&status=complete&workflows=Order",
  "&tag=none",
  "&errorCode=NONE&status=errored,terminated",
  "&idPrefix=nobody",
  "&createdFrom=1&createdBefore=8000000000000",
  "&updatedFrom=8000000000000",
  `&parent=${PARENT_PATH}`,
  `&parent=${PARENT_PATH}&status=errored`,
  "&stuck=true",
  "&stuck=true&workflows=Order",
  `&stuck=true&parent=${PARENT_PATH}`,
];

const OF_INSTANCE = `/workflows/Order/instances/${BIG}`;

/** Every route with the policies `read` and `view`. */
const READS: Readonly<Record<string, Read>> = {
  listWorkflows: { asks: ["/workflows"], mostRows: 0, trips: 0, why: "the code knows them" },
  listInstances: {
    asks: [
      `/workflows/Order/instances?pageSize=${PAGE}`,
      `/workflows/Order/instances?pageSize=${PAGE}&status=errored`,
    ],
    mostRows: OF_PAGE,
    why: "a page",
  },
  getInstance: { asks: [OF_INSTANCE], mostRows: 2, why: "one instance" },
  describeInstance: {
    asks: [`${OF_INSTANCE}/describe`],
    trips: 2,
    mostRows: OF_EXPLAINED,
    why: "steps of one run, maxStepsPerRun at most, of which the open ones are told of",
  },
  explainInstance: {
    asks: [`${OF_INSTANCE}/explain`],
    mostRows: OF_EXPLAINED,
    why: "steps of one run, maxStepsPerRun at most, its events, maxUndeliveredEvents at most, and CHILDREN_LOOKED_AT of its children, twice",
  },
  getReply: { asks: [`${OF_INSTANCE}/events/event1/reply`], mostRows: 5, why: "one event" },
  findInstances: {
    asks: FILTERS.map((filter) => `/instances?pageSize=${PAGE}${filter}`),
    mostRows: OF_LOOK,
    why: "a page, and LOOKED_AT instances with a filter",
  },
  countInstances: {
    asks: FILTERS.map((filter) => `/instances/counts?cap=10000${filter}`),
    mostRows: MOST_COUNTED,
    why: "MOST_COUNTED without a filter, COUNTED_AT with one",
  },
  measureActivity: {
    asks: ["/activity", "/activity?workflows=Order&bucketMs=86400000&buckets=120"],
    mostRows:
      ACTIVITY_LOOKED_AT.walked +
      2 * ACTIVITY_LOOKED_AT.all +
      DUE_COUNTED +
      WAITS_LOOKED_AT.instances * WAITS_LOOKED_AT.steps,
    why: "ACTIVITY_LOOKED_AT instances, the newest, DUE_COUNTED tasks, and WAITS_LOOKED_AT steps of a sample",
  },
  listLeases: {
    asks: ["/leases?limit=1000"],
    mostRows: 3 * 1000,
    why: "as many as were asked for",
  },
  listCallbacks: {
    asks: [`/open-callbacks?pageSize=${PAGE}`, `/open-callbacks?pageSize=${PAGE}&workflows=Order`],
    mostRows: 4 * CALLBACKS_LOOKED_AT,
    why: "CALLBACKS_LOOKED_AT instances, each with its open waits",
  },
  previewBulk: {
    asks: ["/bulk/preview"],
    body: { act: "terminate", stuck: true },
    mostRows: OF_LOOK,
    trips: 2,
    why: "a page and counts of what a filter lets through",
  },
  listBulks: { asks: [`/bulk?pageSize=${PAGE}`], mostRows: OF_PAGE, why: "a page" },
  getBulk: { asks: ["/bulk/job-0"], mostRows: 2, why: "one instance" },
  listWaiters: {
    asks: [TOPIC, SILENT_TOPIC].map((topic) => `/topics/${topic}/waiters?limit=256`),
    mostRows: 4 * WAITS_OF_TOPIC_LOOKED_AT,
    why: "WAITS_OF_TOPIC_LOOKED_AT waits, each with its step and instance, which is looked up twice",
  },
  listHistory: {
    asks: [`${OF_INSTANCE}/history?pageSize=${PAGE}`],
    // The first trip reads the run.
    trips: 2,
    mostRows: OF_PAGE,
    why: "a page of steps, and one of events",
  },
  readProgress: {
    asks: [`${OF_INSTANCE}/stream?pageSize=${PAGE}`],
    mostRows: OF_PAGE,
    why: "a page of entries",
  },
};

const { dialect } = createPgDatabase({ connectionString: "postgres://127.0.0.1" });

/** Statements of these routes without a limit of their own, and what bounds them. */
const WITHOUT_LIMIT: ReadonlyMap<string, string> = new Map([
  [loadInstance(dialect), "an instance by its key"],
  [selectState(dialect), "an instance and its task by their keys"],
  [loadReply(dialect), "an event by its id"],
  [selectStream(dialect), "an instance by its key, and the last entry of its stream"],
]);

test("S8-009 every reading route is asked here, and every statement of theirs without a limit is known", () => {
  const reading = listRoutes().filter(([, { policy }]) => policy === "read" || policy === "view");
  expect(reading.map(([name]) => name).toSorted()).toEqual(Object.keys(READS).toSorted());
  for (const text of WITHOUT_LIMIT.keys()) expect(text).toMatch(/ where /u);
  // Its limit applies to its result, and it reads as many rows as a run has.
  expect(countEventTypes(dialect)).toMatch(/ limit \d+$/u);
});

describe.skipIf(!postgresAvailable(18))("on tables that have thousands of everything", () => {
  let server: PostgresServer;
  let explainer: Explainer;
  let ask: (path: string, body?: object) => Promise<Response>;
  let trips = 0;

  beforeAll(async () => {
    server = await startPostgres({ durable: false, settings: { autovacuum: "off" } });
    const database = createPgDatabase({ connectionString: server.url, max: 1 });
    await migrate(database);
    await database.close();
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    // Plans are made while the tables are empty, and kept.
    explainer = await createExplainer(server.url, "force_generic_plan");
    const engine = createEngine({
      workflows: Object.fromEntries(
        WORKFLOWS.map((name) => [name, defineWorkflow({ name }, async () => null)]),
      ),
      store: createSqlStore({
        database: {
          ...explainer.database,
          batch: (statements, options) => {
            trips += 1;
            return explainer.database.batch(statements, options);
          },
        },
      }),
      topics: [defineTopic({ name: TOPIC }), defineTopic({ name: SILENT_TOPIC })],
      bulk: true,
      http: { open: true },
      logger: { log: () => undefined },
    });
    ask = (path, body) =>
      engine.fetch(
        new Request(`http://bounded.test/api/workflows${path}`, {
          ...(body && {
            method: "POST",
            body: JSON.stringify(body),
            headers: { "content-type": "application/json" },
          }),
        }),
      );
    await engine.startBulk({ id: "job-0", act: "retry", tag: "none" });
    for (const { asks, body } of Object.values(READS))
      for (const path of asks) await ask(path, body);
    for (const text of fillAdversely(dialect)) await client.query(text);
    await client.end();
  }, 240_000);
  afterAll(async () => {
    await explainer.close();
    await server.stop();
  });

  test.each(Object.entries(READS))(
    "S8-001 S8-009 %s: each statement has its bound, and a list takes one trip",
    async (_, { asks, body, mostRows, trips: most = 1, why }) => {
      for (const path of asks) {
        explainer.readings.length = 0;
        trips = 0;
        const answer = await ask(path, body);
        expect([path, answer.status, trips]).toEqual([path, 200, most]);
        for (const { text, rowsRead, wholeScans, plan } of explainer.readings) {
          const isBounded = / limit /u.test(text) || WITHOUT_LIMIT.has(text);
          const known = isBounded || text === selectNow(dialect);
          if (rowsRead <= mostRows && wholeScans.length === 0 && known) continue;
          const found = { path, rowsRead, mostRows, why, known, wholeScans, text };
          expect.fail(`${JSON.stringify(found)}\n${JSON.stringify(plan, null, 1)}`);
        }
      }
    },
    60_000,
  );
});
