import {
  createPostgresDatabase,
  type DataApiServer,
  type HttpProxy,
  startDataApi,
  startHttpProxy,
  type TestDatabase,
} from "@escapement-internal/test-servers";
import { RDSData } from "@aws-sdk/client-rds-data";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database, Statement } from "../../batch.ts";
import { createPgDatabase } from "../pg/index.ts";
import { createDataApiDatabase } from "./index.ts";

const statement = (text: string, ...values: Statement["values"]): Statement => ({ text, values });
const one = [statement("select 1 as one")];
const committed = { kind: "committed", rows: [[{ one: 1 }]] };
const unavailable = { code: "DATABASE_UNAVAILABLE", retryable: true };
const rejected = { code: "DATABASE_REJECTED", retryable: false };

let server: TestDatabase;
let api: DataApiServer;
/** In front of the endpoint, to count requests and cut connections. */
let network: HttpProxy;
let client: RDSData;
let pg: Database;

const createClient = (endpoint: string, maxAttempts: number): RDSData =>
  new RDSData({
    endpoint,
    region: "eu-central-1",
    credentials: { accessKeyId: "id", secretAccessKey: "key" },
    maxAttempts,
  });

const connect = (options: Partial<Parameters<typeof createDataApiDatabase>[1]> = {}): Database =>
  createDataApiDatabase(client, {
    resourceArn: "arn:aws:rds:eu-central-1:123456789012:cluster:test",
    secretArn: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:test",
    database: "test",
    ...options,
  });

beforeAll(async () => {
  server = await createPostgresDatabase();
  api = await startDataApi(server.url);
  network = await startHttpProxy(api.endpoint);
  client = createClient(network.url, 1);
  pg = createPgDatabase({ connectionString: server.url });
});
afterAll(async () => {
  client.destroy();
  await pg.close();
  await network.stop();
  await api.stop();
  await server.drop();
});

const dropFunction = statement("drop function if exists escapement_batch_1(text[])");

test("a batch is one call, a conflict too, none at all is no call; the first of a database makes two more", async () => {
  await pg.batch([dropFunction]);
  const database = connect();
  const calls = async (...batch: Statement[]): Promise<number> => {
    network.reset();
    await database.batch(batch);
    return network.stats().requests;
  };
  const insert = statement("insert into thing values ($1) returning id", 1);
  expect(await calls(statement("create table thing (id int primary key)"), insert)).toBe(3);
  expect(await calls(insert)).toBe(1);
  expect(await calls(statement("update thing set id = 2"), ...one, ...one)).toBe(1);
  expect(await calls(statement(database.dialect.guard("never", "1 = 0")), ...one)).toBe(1);
  expect(await calls()).toBe(0);
});

test("processes that begin at once all find the function, whoever made it", async () => {
  await pg.batch([dropFunction]);
  const batches = Array.from({ length: 8 }, () => connect().batch(one));
  expect(await Promise.all(batches)).toEqual(batches.map(() => committed));
});

test("a function that a statement calls and that is missing is the statement's mistake", async () => {
  await connect().batch(one);
  network.reset();
  const wrong = connect().batch([statement("select no_such_function()")]);
  await expect(wrong).rejects.toMatchObject({ ...rejected, cause: { code: "42883" } });
  expect(network.stats().requests).toBe(1);
});

test("rows are those of a connection, whatever their columns' types and names", async () => {
  const batch = [
    statement("create domain positive as int check (value > 0)"),
    statement(
      `select 1::smallint as a, 2::int as b, 3::bigint as c, 4.50::numeric as d, 'NaN'::numeric as e, 1.5::real as f, ` +
        `'-Infinity'::float8 as g, 5::oid as h, 6::numeric(10, 2) as i, 7::positive as j, true as k, null::int as l`,
    ),
    statement(
      `select '8'::json as a, '"x"'::jsonb as b, 'null'::json as c, '{"a":  [1]}'::json as d, 'x'::varchar(3) as e, ` +
        `'2026-01-02 03:04:05.678'::timestamp as f, '2026-01-02'::date as g, '\\x0102'::bytea as h, ` +
        `array['a', null, 'b"c'] as i, interval '1 day' as j, gen_random_uuid() is null as k, row(1, 'a') as l`,
    ),
    statement(
      `select '' as "x y", null as "null", '"",\\ ()' as "a <b> & ""c""", $1 as text`,
      "a\n'b\\",
    ),
    statement("select 1 as twice, 'last' as twice"),
    statement("select"),
    statement("select n from generate_series(1, 3) as n"),
    statement("select 1 as none where false"),
    statement("create table typed (id int, at timestamp)"),
    statement("insert into typed values ($1, $2), (2, $3)", "1", "2026-01-02", null),
    statement("with one as (delete from typed where id = $1 returning *) select * from one", 1),
    statement("update typed set id = id + $1 returning id", 1.0),
    statement("drop table typed"),
    statement("drop domain positive"),
  ];
  const expected = await pg.batch(batch);
  expect(expected).toMatchObject({ kind: "committed" });
  expect(await connect().batch(batch)).toEqual(expected);
});

test("a lock is waited for a bounded time; settings by keys hold within the batch", async () => {
  await pg.batch([
    statement("create table account (id int primary key)"),
    statement("insert into account values (1)"),
  ]);
  const take = statement("select id from account where id = 1 for update");
  const holder = pg.batch([take, statement("select pg_sleep(0.4)")]);
  const probe = [statement("select id from account for update nowait")];
  const locked = { kind: "conflict", reason: "locked", guard: null };
  await expect.poll(() => connect().batch(probe), { interval: 5 }).toEqual(locked);
  expect(await connect({ lockTimeoutMs: 20 }).batch([take])).toEqual(locked);
  expect(await connect().batch([take])).toMatchObject({ kind: "committed" });
  await holder;
  const show = [
    statement(
      "select current_setting('enable_seqscan') as scan, current_setting('lock_timeout') as lock",
    ),
  ];
  for (const [byKeys, scan] of [
    [true, "off"],
    [false, "on"],
  ] as const) {
    expect(await connect().batch(show, { byKeys })).toMatchObject({
      rows: [[{ scan, lock: "5s" }]],
    });
  }
});

test.each(["DatabaseResumingException", "DatabaseUnavailableException"])(
  "%s: a database that wakes is waited for, and one that does not is unavailable",
  async (name) => {
    await connect().batch(one);
    network.reset();
    api.refuse(name, 400, 2);
    expect(await connect().batch(one)).toEqual(committed);
    expect(network.stats().requests).toBe(3);
    api.refuse(name, 400, 1);
    await expect(connect({ resumeTimeoutMs: 0 }).batch(one)).rejects.toMatchObject(unavailable);
  },
);

test.each([
  ["StatementTimeoutException", 400, unavailable],
  ["InvalidResourceStateException", 400, unavailable],
  ["ThrottlingException", 429, unavailable],
  ["InternalServerErrorException", 500, unavailable],
  ["ServiceUnavailableError", 503, unavailable],
  ["BadRequestException", 400, rejected],
  ["AccessDeniedException", 403, rejected],
  ["HttpEndpointNotEnabledException", 400, rejected],
  ["SecretsErrorException", 400, rejected],
])("%s (%i) is asked once and told by its code", async (name, status, expected) => {
  await connect().batch(one);
  network.reset();
  api.refuse(name, status, 1);
  const failure = { ...expected, message: expect.stringContaining(name) as string };
  await expect(connect().batch(one)).rejects.toMatchObject(failure);
  expect(network.stats().requests).toBe(1);
});

test("a batch whose answer was lost is unavailable, and applied once", async () => {
  const database = connect();
  await database.batch([statement("create table tally (n int)")]);
  network.setDelivery(() => ({ kind: "lose-answer" }));
  const count = [statement("insert into tally values (1)"), ...one];
  await expect(database.batch(count)).rejects.toMatchObject(unavailable);
  network.setDelivery(null);
  const read = [statement("select count(*) as n from tally")];
  await expect.poll(() => database.batch(read)).toMatchObject({ rows: [[{ n: 1 }]] });
});

test("a client that repeats calls by itself is refused before it calls", async () => {
  const repeating = createClient(network.url, 3);
  const options = { resourceArn: "cluster", secretArn: "secret", database: "test" };
  network.reset();
  const batch = createDataApiDatabase(repeating, options).batch(one);
  await expect(batch).rejects.toMatchObject({
    ...rejected,
    message: expect.stringContaining("maxAttempts: 1") as string,
  });
  expect(network.stats().requests).toBe(0);
  repeating.destroy();
});

test("an endpoint that never answers, that is gone: unavailable", async () => {
  const database = connect({ batchTimeoutMs: 300 });
  network.setSilent(true);
  await expect(database.batch(one)).rejects.toMatchObject(unavailable);
  network.setSilent(false);
  expect(await database.batch(one)).toEqual(committed);
  const nobody = createClient("http://127.0.0.1:1", 1);
  const options = { resourceArn: "cluster", secretArn: "secret", database: "test" };
  const lost = createDataApiDatabase(nobody, options).batch(one);
  await expect(lost).rejects.toMatchObject(unavailable);
  nobody.destroy();
});

test("a request above 4 MiB is refused before it is sent, an answer above 10 MB by the endpoint", async () => {
  const database = connect();
  await database.batch(one);
  network.reset();
  const large = statement("select octet_length($1) as bytes", "x".repeat(4 * 1024 * 1024));
  await expect(database.batch([large])).rejects.toMatchObject({
    ...rejected,
    message: expect.stringContaining("4194304") as string,
  });
  expect(network.stats().requests).toBe(0);
  const answer = statement("select repeat('x', 11 * 1024 * 1024) as large");
  const refusal = await database.batch([answer]).catch((error: unknown) => error);
  expect(refusal).toMatchObject(rejected);
});

test("8 MiB of JSON, which a claim may read, is an answer that the endpoint sends", async () => {
  const json = JSON.stringify({ id: "0123456789abcdef", state: "of an order", count: 12 });
  const rows = Math.floor((8 * 1024 * 1024) / (64 * json.length));
  const read = statement("select repeat($1, 64) as json from generate_series(1, $2)", json, rows);
  expect(await connect().batch([read])).toMatchObject({ kind: "committed" });
});

test("a batch after close is unavailable", async () => {
  const database = connect();
  await database.close();
  await expect(database.batch(one)).rejects.toMatchObject(unavailable);
});
