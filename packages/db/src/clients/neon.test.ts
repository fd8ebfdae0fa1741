import {
  createPostgresDatabase,
  type HttpProxy,
  neonEndpoint,
  type NeonProxy,
  startHttpProxy,
  startNeonProxy,
  type TestDatabase,
} from "@escapement-internal/test-servers";
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database, Statement } from "../batch.ts";
import { describeDatabaseContract } from "../testing/index.ts";
import { createNeonDatabase } from "./neon.ts";

neonConfig.fetchEndpoint = neonEndpoint;

const statement = (text: string, ...values: Statement["values"]): Statement => ({ text, values });
const one = [statement("select 1 as one")];
const unavailable = { code: "DATABASE_UNAVAILABLE", retryable: true };
const rejected = { code: "DATABASE_REJECTED", retryable: false };

describeDatabaseContract({
  name: "Neon over HTTP",
  async setup() {
    const server = await createPostgresDatabase();
    const proxy = await startNeonProxy(server.url);
    const connect = (): Database => createNeonDatabase(neon(proxy.url));
    const database = connect();
    return {
      database,
      open: () => Promise.resolve(connect()),
      async teardown() {
        await database.close();
        await proxy.stop();
        await server.drop();
      },
    };
  },
});

describe("Neon over HTTP", () => {
  let server: TestDatabase;
  let endpoint: NeonProxy;
  let network: HttpProxy;
  /** Through `network`, to count requests and cut connections. */
  let url: URL;
  beforeAll(async () => {
    server = await createPostgresDatabase();
    endpoint = await startNeonProxy(server.url);
    network = await startHttpProxy(`http://${new URL(endpoint.url).host}`);
    url = new URL(endpoint.url);
    url.host = new URL(network.url).host;
  });
  afterAll(async () => {
    await network.stop();
    await endpoint.stop();
    await server.drop();
  });

  test("one batch is one request, the first one too, conflicts too; none at all is no request", async () => {
    const database = createNeonDatabase(neon(url.href));
    const requests = async (...batch: Statement[]): Promise<readonly string[]> => {
      network.reset();
      await database.batch(batch);
      return network.stats().paths;
    };
    const insert = statement("insert into thing values ($1) returning id", 1);
    expect(await requests(statement("create table thing (id int primary key)"), insert)).toEqual([
      "POST /sql",
    ]);
    expect(await requests(insert)).toEqual(["POST /sql"]);
    expect(await requests(statement(database.dialect.guard("never", "1 = 0")))).toHaveLength(1);
    expect(await requests()).toEqual([]);
  });

  test("the isolation level given to the driver holds, and so does its way of shaping results", async () => {
    const database = createNeonDatabase(
      neon(url.href, { isolationLevel: "Serializable", fullResults: true, arrayMode: true }),
    );
    const level = statement("select current_setting('transaction_isolation') as level");
    expect(await database.batch([level])).toMatchObject({ rows: [[{ level: "serializable" }]] });
  });

  test("an endpoint that never answers, that cuts the connection, that is gone: unavailable", async () => {
    const database = createNeonDatabase(neon(url.href), { batchTimeoutMs: 500 });
    network.setSilent(true);
    await expect(database.batch(one)).rejects.toMatchObject(unavailable);
    network.reset();
    const cut = createNeonDatabase(neon(url.href), { batchTimeoutMs: null })
      .batch(one)
      .catch((error: unknown) => error);
    await expect.poll(() => network.stats().requests, { interval: 5 }).toBe(1);
    network.killConnections();
    expect(await cut).toMatchObject(unavailable);
    network.setSilent(false);
    expect(await database.batch(one)).toMatchObject({ kind: "committed" });
    const nobody = createNeonDatabase(neon("postgres://postgres@127.0.0.1:1/nobody"));
    await expect(nobody.batch(one)).rejects.toMatchObject(unavailable);
  });

  test("a database out of reach of the endpoint is unavailable; one that does not exist is a mistake", async () => {
    const lost = await startNeonProxy("postgres://postgres@127.0.0.1:1/nobody");
    await expect(createNeonDatabase(neon(lost.url)).batch(one)).rejects.toMatchObject(unavailable);
    await lost.stop();
    const wrong = new URL(url);
    wrong.pathname = "/no_such_database";
    await expect(createNeonDatabase(neon(wrong.href)).batch(one)).rejects.toMatchObject({
      code: "DATABASE_ACCESS_REFUSED",
    });
  });

  test("an answer too large for the endpoint is refused for good", async () => {
    const large = statement("select repeat('x', 11 * 1024 * 1024) as large");
    await expect(createNeonDatabase(neon(url.href)).batch([large])).rejects.toMatchObject(rejected);
  });

  test("a batch after close is unavailable; closing twice does no harm", async () => {
    const database = createNeonDatabase(neon(url.href));
    await database.close();
    await database.close();
    await expect(database.batch(one)).rejects.toMatchObject(unavailable);
  });
});
