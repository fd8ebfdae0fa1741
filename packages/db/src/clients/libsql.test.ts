import {
  sqldAvailable,
  type SqldServer,
  startHttpProxy,
  startSqld,
} from "@escapement-internal/test-servers";
import { createClient } from "@libsql/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database, Statement } from "../batch.ts";
import { createLibsqlDatabase } from "./libsql.ts";

const statement = (text: string, ...values: Statement["values"]): Statement => ({ text, values });
const one = [statement("select 1 as one")];
const unavailable = { code: "DATABASE_UNAVAILABLE", retryable: true };
const connect = (url: string, options?: Parameters<typeof createLibsqlDatabase>[1]): Database =>
  createLibsqlDatabase(createClient({ url }), options);

describe.skipIf(!sqldAvailable())("a libSQL server", () => {
  let server: SqldServer;
  beforeAll(async () => {
    server = await startSqld();
  });
  afterAll(() => server.stop());

  test("one batch is one HTTP request, the first one too, conflicts too", async () => {
    const proxy = await startHttpProxy(server.url);
    const database = connect(proxy.url);
    const requests = async (...batch: Statement[]): Promise<number> => {
      proxy.reset();
      await database.batch(batch);
      return proxy.stats().requests;
    };
    expect(
      await requests(statement("create table if not exists thing (id integer primary key)")),
    ).toBe(1);
    const insert = statement("insert into thing values (?1) returning id", 1);
    expect(await requests(insert, statement("select count(*) as n from thing"))).toBe(1);
    expect(await requests(insert, insert)).toBe(1);
    expect(await requests(statement(database.dialect.guard("never", "1 = 0")), insert)).toBe(1);
    expect(await requests()).toBe(0);
    await database.close();
    await proxy.stop();
  });

  test.each(["url", "wsUrl"] as const)(
    "that is restarted (%s): unavailable meanwhile, then it works again",
    async (kind) => {
      const own = await startSqld();
      const database = connect(own[kind]);
      expect(await database.batch(one)).toMatchObject({ kind: "committed" });
      await own.halt();
      await expect(database.batch(one)).rejects.toMatchObject(unavailable);
      await own.restart();
      // A WebSocket may only notice now that it was closed.
      const first = await database.batch(one).catch((error: unknown) => error);
      const second = await database.batch(one);
      expect([
        { kind: "committed", rows: [[{ one: 1 }]] },
        expect.objectContaining(unavailable),
      ]).toContainEqual(first);
      expect(second).toMatchObject({ kind: "committed", rows: [[{ one: 1 }]] });
      await database.close();
      await own.stop();
    },
  );

  test("that never answers does not hang a batch", async () => {
    const proxy = await startHttpProxy(server.url);
    const database = connect(proxy.url, { batchTimeoutMs: 1000 });
    proxy.setSilent(true);
    await expect(database.batch(one)).rejects.toMatchObject(unavailable);
    proxy.setSilent(false);
    expect(await database.batch(one)).toMatchObject({ kind: "committed" });
    await database.close();
    await proxy.stop();
  });

  test("is sent four writes at once by a client, and reads beside them", async () => {
    const proxy = await startHttpProxy(server.url);
    const database = connect(proxy.url);
    await database.batch([statement("create table if not exists counter (n integer)")]);
    proxy.reset();
    proxy.setSilent(true);
    const write = statement("insert into counter values (1)");
    const writes = Array.from({ length: 6 }, () => database.batch([write]).catch(() => null));
    const read = database.batch(one).catch(() => null);
    await expect.poll(() => proxy.stats().requests, { interval: 5 }).toBe(5);
    proxy.setSilent(false);
    proxy.killConnections();
    const answered = (await Promise.all([...writes, read])).map((result) => result !== null);
    expect(answered).toEqual([false, false, false, false, true, true, false]);
    await database.close();
    await proxy.stop();
  });

  test("that cuts the connection is unavailable, and the next batch works", async () => {
    const proxy = await startHttpProxy(server.url);
    const database = connect(proxy.url);
    expect(await database.batch(one)).toMatchObject({ kind: "committed" });
    proxy.setSilent(true);
    const failed = database.batch(one).catch((error: unknown) => error);
    await expect.poll(() => proxy.stats().requests, { interval: 5 }).toBe(2);
    proxy.killConnections();
    expect(await failed).toMatchObject(unavailable);
    proxy.setSilent(false);
    expect(await database.batch(one)).toMatchObject({ kind: "committed" });
    await database.close();
    await proxy.stop();
  });
});

test("a batch after close is unavailable; closing twice does no harm", async () => {
  const database = connect(":memory:");
  await database.close();
  await database.close();
  await expect(database.batch(one)).rejects.toMatchObject(unavailable);
});
