/** Values, time and conditions: defects 7 to 13 of the library's own adapter, each absent from ours. */
import { schema, column, idColumn } from "@fragno-dev/db/schema";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@escapement/db";
import { type AdapterQuery, createFragnoAdapter, type FragnoAdapter } from "./adapter.ts";
import { dbNow } from "./db-now.ts";
import { PGLITE, query, SERVERS, type TestServer } from "./testing/databases.ts";
import { openShop, shopSchema } from "./testing/shop.ts";

type Shop = Awaited<ReturnType<typeof openShop>>;
const YEAR_MS = 365 * 86_400_000;

describe.each([...SERVERS, PGLITE])("values on $name", ({ start }) => {
  const processZone = process.env["TZ"];
  let server: TestServer;
  let database: Database;
  let adapter: FragnoAdapter;
  let shop: Shop;

  beforeAll(async () => {
    process.env["TZ"] = "America/New_York";
    server = await start();
    database = server.open("-c TimeZone=Asia/Tokyo");
    adapter = createFragnoAdapter({ database });
    shop = await openShop(adapter);
    await shop.$internal.deps.db.create("customer", { id: "ann", name: "Ann" });
  });
  afterAll(async () => {
    if (processZone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = processZone;
    await server.drop();
  });

  const db = () => shop.$internal.deps.db;
  const createOrder = (id: string, values: object = {}): Promise<unknown> =>
    db().create("order", { id, customerId: "ann", total: 1, ...values });
  const findOrder = (id: string) =>
    db().findFirst("order", (b) => b.whereIndex("primary", (eb) => eb("id", "=", id)));
  const dueOrders = async (at: Date): Promise<readonly string[]> => {
    const found = await db().find("order", (b) =>
      b.whereIndex("idx_due", (eb) => eb("dueAt", "<=", at)).orderByIndex("idx_due", "asc"),
    );
    return found.map(({ id }) => id.externalId);
  };

  test("fragno defect 7: instants are UTC whatever the zones of process and session", async () => {
    const at = new Date("2026-03-29T01:30:00.123Z");
    await createOrder("zone", { dueAt: at, day: new Date("2026-03-29T22:00:00Z") });
    const found = await findOrder("zone");
    expect(found?.dueAt).toEqual(at);
    expect(found?.day).toEqual(new Date("2026-03-29T00:00:00Z"));
    expect(Math.abs((found?.createdAt.getTime() ?? 0) - Date.now())).toBeLessThan(10_000);
    const created = await db().find("order", (b) =>
      b.whereIndex("idx_created", (eb) => eb("createdAt", "<=", dbNow())),
    );
    expect(created.map(({ id }) => id.externalId)).toContain("zone");
    const stored = `select ${database.dialect.toMs(`"dueAt"`)} as ms from "order_shop" where "id" = 'zone'`;
    expect(await query(database, stored)).toEqual([{ ms: at.getTime() }]);
    expect(await dueOrders(at)).toEqual(["zone"]);
    expect(await dueOrders(new Date(at.getTime() - 1))).toEqual([]);
  });

  test("fragno defect 8: S2-001 S2-028 the database's time, with an offset, is a value and a condition; next year is not due", async () => {
    await createOrder("next-year", { dueAt: dbNow(YEAR_MS) });
    await createOrder("a-minute-ago", { dueAt: dbNow(-60_000) });
    expect(await dueOrders(dbNow())).toEqual(expect.arrayContaining(["a-minute-ago"]));
    expect(await dueOrders(dbNow())).not.toContain("next-year");
    expect(await dueOrders(dbNow(-61_000))).not.toContain("a-minute-ago");
    expect(await dueOrders(dbNow(YEAR_MS + 60_000))).toContain("next-year");
    await db().update("order", "next-year", (b) => b.set({ dueAt: dbNow(-1) }));
    expect(await dueOrders(dbNow())).toContain("next-year");
  });

  test("S2-001 S2-029 SQL asks the database's own clock, in UTC, as value and as condition; no date of this process is sent", async () => {
    const told: AdapterQuery[] = [];
    const uow = adapter.createQueryEngine(shopSchema, "shop").createUnitOfWork("clock", {
      onQuery: (sent) => void told.push(sent),
    });
    uow.find("order", (b) => b.whereIndex("idx_due", (eb) => eb("dueAt", "<=", dbNow(5))));
    await uow.executeRetrieve();
    uow.create("customer", { id: "clock", name: "Clock" });
    uow.create("order", { id: "clock", customerId: "clock", total: 1, dueAt: dbNow(7) });
    uow.update("order", "a-minute-ago", (b) => b.set({ dueAt: dbNow() }));
    await uow.executeMutations();
    const asked = told.filter(({ sql }) => sql.includes(database.dialect.now));
    expect(asked.map(({ sql }) => /^(?:with changed as \()?(\w+)/u.exec(sql)?.[1])).toEqual([
      "select",
      "insert",
      "update",
    ]);
    const bound = told.flatMap(({ parameters }) => parameters);
    expect(bound).toEqual(expect.arrayContaining([5, 7]));
    expect(bound.filter((value) => Number(value) > 1_600_000_000_000)).toEqual([]);
    expect(told.map(({ sql }) => sql).join("\n")).not.toMatch(/current_timestamp/iu);
  });

  test("fragno defect 9: what is stored as JSON is what is read", async () => {
    const values = [
      [1, "a", null],
      [],
      {},
      { a: { b: [1.5, "ü\u{1f600}", true] } },
      '{"a":1}',
      "plain",
      "",
      0,
      -1.25,
      false,
      '"quoted"',
    ];
    for (const [index, note] of values.entries()) {
      await createOrder(`json-${index}`, { note });
      expect((await findOrder(`json-${index}`))?.note).toEqual(note);
    }
    await createOrder("json-null", { note: null });
    expect((await findOrder("json-null"))?.note).toBeNull();
    await createOrder("json-date", { note: { at: new Date(0) } });
    expect((await findOrder("json-date"))?.note).toEqual({ at: "1970-01-01T00:00:00.000Z" });
    await db().update("order", "json-date", (b) => b.set({ note: ["updated"] }));
    expect((await findOrder("json-date"))?.note).toEqual(["updated"]);
    await expect(createOrder("json-bigint", { note: { n: 1n } })).rejects.toMatchObject({
      code: "INVALID_VALUE",
    });
  });

  test("fragno defect 10: bigint columns keep 64 bits, sort as numbers, and binary columns keep bytes", async () => {
    const numbers = [-(2n ** 63n), -5n, -1n, 0n, 3n, 2n ** 53n + 1n, 2n ** 63n - 1n];
    for (const big of numbers) await createOrder(`big-${numbers.indexOf(big)}`, { big });
    const found = await db().find("order", (b) =>
      b.whereIndex("idx_big", (eb) => eb("big", ">=", -(2n ** 63n))).orderByIndex("idx_big", "asc"),
    );
    expect(found.map(({ big }) => big)).toEqual(numbers);
    const bytes = Uint8Array.from([0, 255, 10, 39]);
    await createOrder("bytes", { bytes });
    expect((await findOrder("bytes"))?.bytes).toEqual(bytes);
    await createOrder("no-bytes", { bytes: new Uint8Array() });
    expect((await findOrder("no-bytes"))?.bytes).toEqual(new Uint8Array());
    await expect(createOrder("too-big", { big: 2n ** 63n })).rejects.toMatchObject({
      code: "INVALID_VALUE",
    });
  });

  test("fragno defect 11: S2-010 S2-035 S2-037 pages over any index lose no row, and go both ways", async () => {
    const at = new Date("2020-01-01T00:00:00Z");
    const names = Array.from({ length: 11 }, (_, n) => `page-${String(n).padStart(2, "0")}`);
    for (const [n, id] of names.entries())
      await createOrder(id, { total: 1000 + Math.floor(n / 6), dueAt: n % 3 === 0 ? null : at });
    for (const direction of ["asc", "desc"] as const) {
      const there = await pages("idx_total_due", direction, "after", null);
      expect(there.ids.toSorted()).toEqual(names);
      const back = await pages("idx_total_due", direction, "before", there.last);
      expect(back.ids.toReversed()).toEqual(there.ids.slice(0, back.ids.length));
      // The cursor is at the eighth of eleven.
      expect(back.ids).toHaveLength(7);
      expect((await pages("primary", direction, "after", null)).ids.toSorted()).toEqual(names);
    }
  });

  /** The ids of all orders above, by pages of four, and the cursor of the last page. */
  async function pages(
    index: "idx_total_due" | "primary",
    direction: "asc" | "desc",
    way: "after" | "before",
    from: string | null,
  ): Promise<{ ids: readonly string[]; last: string | null }> {
    const ids: string[] = [];
    let cursor = from;
    let last = from;
    for (;;) {
      const page = await db().findWithCursor("order", (b) => {
        const query =
          index === "primary"
            ? b.whereIndex("primary", (eb) => eb("id", "starts with", "page-"))
            : b.whereIndex("idx_total_due", (eb) => eb("total", ">=", 1000));
        query.orderByIndex(index, direction).pageSize(4);
        return cursor === null ? query : query[way](cursor);
      });
      const found = page.items.map(({ id }) => id.externalId);
      ids.push(...(way === "before" ? found.toReversed() : found));
      if (!page.hasNextPage || page.cursor === undefined) return { ids, last };
      cursor = page.cursor.encode();
      last = cursor;
    }
  }

  test("fragno defect 12: conditions of nothing are true or false, not errors", async () => {
    const count = async (where: "or" | "and" | "in" | "not in" | "nested"): Promise<number> => {
      const found = await db().find("customer", (b) =>
        b.whereIndex("primary", (eb) => {
          if (where === "or") return eb.or();
          if (where === "and") return eb.and();
          if (where === "nested") return eb.and(eb("id", "=", "ann"), eb.not(eb.or()));
          return eb("id", where, []);
        }),
      );
      return found.length;
    };
    const all = (await db().find("customer", (b) => b.whereIndex("primary"))).length;
    expect(await count("or")).toBe(0);
    expect(await count("and")).toBe(all);
    expect(await count("in")).toBe(0);
    expect(await count("not in")).toBe(all);
    expect(await count("nested")).toBe(1);
    const [counted, listed] = await shop.inContext(function () {
      return this.handlerTx()
        .retrieve(({ forSchema }) =>
          forSchema(shopSchema)
            .find("customer", (b) => b.whereIndex("primary", (eb) => eb.or()).selectCount())
            .find("customer", (b) => b.whereIndex("primary")),
        )
        .transformRetrieve((results) => results)
        .execute();
    });
    expect([counted, listed.length]).toEqual([0, all]);
  });

  test("fragno defect 13: an update of no row, and a schema of no fragment, are refused by name", async () => {
    await expect(
      db().update("customer", "nobody", (b) => b.set({ name: "N" })),
    ).rejects.toMatchObject({ code: "ROW_NOT_FOUND", status: 404 });
    await db().delete("customer", "nobody");
    const foreign = schema((s) =>
      s.addTable("orders", (t) => t.addColumn("id", idColumn()).addColumn("n", column("integer"))),
    );
    const touch = shop.inContext(function () {
      return this.handlerTx()
        .mutate(({ forSchema }) => forSchema(foreign).create("orders", { n: 1 }))
        .execute();
    });
    await expect(touch).rejects.toMatchObject({ code: "UNKNOWN_SCHEMA" });
  });

  test("an id longer than its column is refused on every database", async () => {
    const create = (length: number): Promise<unknown> =>
      db().create("customer", { id: "x".repeat(length), name: "X" });
    await create(30);
    await expect(create(31)).rejects.toMatchObject({ code: "INVALID_VALUE" });
  });
});
