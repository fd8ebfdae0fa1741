/** What the proxies do to requests, seen from both ends. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createPostgresDatabase,
  type Delivery,
  type HttpProxy,
  type PostgresProxy,
  startHttpProxy,
  startPostgresProxy,
} from "./index.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** The first request is treated so, the rest pass. */
const onceOnly = (delivery: Delivery): (() => Delivery) => {
  let isFirst = true;
  return () => {
    const mine: Delivery = isFirst ? delivery : { kind: "pass" };
    isFirst = false;
    return mine;
  };
};

const ms = (started: number): number => performance.now() - started;

describe("in front of Postgres", () => {
  let proxy: PostgresProxy;
  let direct: pg.Client;

  async function open(url: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => undefined);
    await client.connect();
    closing.push(() => Promise.race([client.end(), new Promise((done) => setTimeout(done, 50))]));
    return client;
  }

  const countRows = async (): Promise<number> =>
    Number((await direct.query("select count(*) as n from thing")).rows[0].n);
  const insert = (client: pg.Client): Promise<unknown> =>
    client.query("insert into thing values ($1)", [1]);

  beforeEach(async () => {
    const database = await createPostgresDatabase();
    closing.push(() => database.drop());
    proxy = await startPostgresProxy(database.url);
    closing.push(() => proxy.stop());
    direct = await open(database.url);
    await direct.query("create table thing (id int)");
  });

  test("a request may be delayed, and those behind it keep their order", async () => {
    const client = await open(proxy.url);
    proxy.setDelivery(onceOnly({ kind: "delay", ms: 150 }));
    const started = performance.now();
    await insert(client);
    expect(ms(started)).toBeGreaterThan(140);
    await insert(client);
    expect(await countRows()).toBe(2);
  });

  test("a request may be lost, or only its answer", async () => {
    proxy.setDelivery(onceOnly({ kind: "drop" }));
    await expect(insert(await open(proxy.url))).rejects.toThrow();
    expect(await countRows()).toBe(0);
    proxy.setDelivery(onceOnly({ kind: "lose-answer" }));
    await expect(insert(await open(proxy.url))).rejects.toThrow();
    await expect.poll(countRows).toBe(1);
  });

  test("a request may arrive after its client has given it up", async () => {
    // Long enough for the question behind it, on a busy machine too.
    proxy.setDelivery(onceOnly({ kind: "late", ms: 3000 }));
    await expect(insert(await open(proxy.url))).rejects.toThrow();
    expect(await countRows()).toBe(0);
    await expect.poll(countRows).toBe(1);
  });

  test("a request may arrive twice", async () => {
    proxy.setDelivery(onceOnly({ kind: "twice", ms: 100 }));
    await expect(insert(await open(proxy.url))).rejects.toThrow();
    await expect.poll(countRows).toBe(2);
  });

  test("connections go half-open: neither side is told, and those opened later work", async () => {
    const client = await open(proxy.url);
    await insert(client);
    proxy.silence();
    const hanging = insert(client).catch(() => "cut");
    const later = new Promise((resolve) => setTimeout(resolve, 200, "silent"));
    expect(await Promise.race([hanging, later])).toBe("silent");
    await insert(await open(proxy.url));
    expect(await countRows()).toBe(2);
  });

  test("a connection that goes silent in mid-request leaves the server waiting with its locks", async () => {
    await insert(direct);
    const client = await open(proxy.url);
    proxy.silence("mid-request");
    const hanging = client.query("update thing set id = id + $1", [1]).catch(() => "cut");
    await direct.query("set lock_timeout = '300ms'");
    await expect
      .poll(() => direct.query("update thing set id = 5").catch((error: Error) => error.message))
      .toMatch("lock timeout");
    proxy.killConnections();
    expect(await hanging).toBe("cut");
    // The server lets go of the locks when it comes to know, which no time is promised for.
    await direct.query("set lock_timeout = 0");
    await direct.query("update thing set id = 5");
  });
});

describe("in front of an HTTP server", () => {
  let proxy: HttpProxy;
  let arrived: string[];

  beforeEach(async () => {
    arrived = [];
    const server = createServer((incoming, outgoing) => {
      arrived.push(incoming.url ?? "");
      outgoing.end("done");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    closing.push(() => server.close());
    proxy = await startHttpProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    closing.push(() => proxy.stop());
  });

  const ask = async (): Promise<string> =>
    (await fetch(`${proxy.url}/x`, { method: "POST", body: "{}" })).text();

  test.each<[Delivery, boolean, number, number]>([
    [{ kind: "pass" }, true, 1, 1],
    [{ kind: "delay", ms: 20 }, true, 1, 1],
    [{ kind: "drop" }, false, 0, 0],
    [{ kind: "lose-answer" }, false, 1, 1],
    [{ kind: "late", ms: 1500 }, false, 0, 1],
    [{ kind: "twice", ms: 1500 }, false, 1, 2],
  ])("%o: answered %s, arrived %i, in the end %i", async (delivery, isAnswered, soon, inTheEnd) => {
    proxy.setDelivery(onceOnly(delivery));
    expect(await ask().catch(() => "cut")).toBe(isAnswered ? "done" : "cut");
    expect(arrived.length).toBe(soon);
    await expect.poll(() => arrived.length).toBe(inTheEnd);
  });

  test("a request may hang", async () => {
    proxy.setDelivery(onceOnly({ kind: "half-open" }));
    const giving = new AbortController();
    const hanging = fetch(`${proxy.url}/x`, { signal: giving.signal }).catch(() => "given up");
    await expect.poll(() => proxy.stats().requests).toBe(1);
    const later = new Promise((resolve) => setTimeout(resolve, 150, "silent"));
    expect(await Promise.race([hanging, later])).toBe("silent");
    giving.abort();
    expect(await hanging).toBe("given up");
    expect(await ask()).toBe("done");
  });
});
