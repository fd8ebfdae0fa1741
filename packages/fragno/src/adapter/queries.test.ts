import { FragnoId } from "@fragno-dev/db/schema";
import { Cursor } from "@fragno-dev/db/cursor";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@escapement/db";
import { createFragnoAdapter } from "./adapter.ts";
import { PGLITE, query, SERVERS, type TestServer } from "./testing/databases.ts";
import { openShop, shopSchema } from "./testing/shop.ts";

describe.each([...SERVERS, PGLITE])("queries on $name", ({ start }) => {
  let server: TestServer;
  let database: Database;
  let shop: Awaited<ReturnType<typeof openShop>>;
  let createdIds: readonly FragnoId[];

  beforeAll(async () => {
    server = await start();
    database = server.open();
    shop = await openShop(createFragnoAdapter({ database }));
    const uow = db().createUnitOfWork();
    const ann = uow.create("customer", { id: "ann", name: "Ann", points: 5 });
    uow.create("customer", { id: "bob", name: "bob", invitedBy: ann, email: "b@x.org" });
    uow.create("customer", { id: "cy", name: "100%_*", active: false, invitedBy: "ann" });
    const first = uow.create("order", { id: "o1", customerId: ann, total: 1.5 });
    uow.create("order", { id: "o2", customerId: "ann", total: 2 });
    uow.create("order", { id: "o3", customerId: "bob", total: 0.25 });
    uow.create("line", { id: "l1", orderId: first, sku: "x", count: 1 });
    uow.create("line", { id: "l2", orderId: first, sku: "y", count: 2 });
    uow.create("line", { id: "l3", orderId: first, sku: "z", count: 3 });
    await uow.executeMutations();
    createdIds = uow.getCreatedIds();
  });
  afterAll(() => server.drop());

  const db = () => shop.$internal.deps.db;
  type Compare = (column: string, operator?: string, value?: unknown) => boolean;

  /** Ids of the customers that meet a condition on any columns; the types only allow those of one index. */
  const idsWhere = async (where: (eb: Compare) => boolean): Promise<readonly string[]> => {
    const found = await db().find("customer", (b) => b.whereIndex("idx_name", where as never));
    return found.map(({ id }) => id.externalId).toSorted();
  };

  test("every operator means the same on every database, and text is compared by case", async () => {
    const is = (column: string, operator: string, value: unknown) =>
      idsWhere((eb) => eb(column, operator, value));
    expect(await is("points", "=", 5)).toEqual(["ann"]);
    expect(await is("points", "!=", 5)).toEqual(["bob", "cy"]);
    expect(await is("points", ">", 0)).toEqual(["ann"]);
    expect(await is("points", ">=", 0)).toEqual(["ann", "bob", "cy"]);
    expect(await is("points", "<", 5)).toEqual(["bob", "cy"]);
    expect(await is("points", "<=", 0)).toEqual(["bob", "cy"]);
    expect(await is("email", "is", null)).toEqual(["ann", "cy"]);
    expect(await is("email", "is not", null)).toEqual(["bob"]);
    expect(await is("email", "is", "b@x.org")).toEqual(["bob"]);
    expect(await is("email", "is not", "b@x.org")).toEqual(["ann", "cy"]);
    expect(await is("id", "in", ["ann", "cy", "no"])).toEqual(["ann", "cy"]);
    expect(await is("id", "not in", ["ann"])).toEqual(["bob", "cy"]);
    expect(await is("name", "contains", "n")).toEqual(["ann"]);
    expect(await is("name", "contains", "a")).toEqual([]);
    expect(await is("name", "contains", "%_*")).toEqual(["cy"]);
    expect(await is("name", "contains", "_")).toEqual(["cy"]);
    expect(await is("name", "starts with", "B")).toEqual([]);
    expect(await is("name", "starts with", "b")).toEqual(["bob"]);
    expect(await is("name", "ends with", "nn")).toEqual(["ann"]);
    expect(await is("name", "not contains", "n")).toEqual(["bob", "cy"]);
    expect(await is("name", "not starts with", "A")).toEqual(["bob", "cy"]);
    expect(await is("name", "not ends with", "b")).toEqual(["ann", "cy"]);
  });

  test("internal ids of created rows are known, in order", () => {
    const ids = createdIds.map(({ externalId, internalId }) => [externalId, internalId]);
    expect(ids.slice(0, 4)).toEqual([
      ["ann", 1n],
      ["bob", 2n],
      ["cy", 3n],
      ["o1", 1n],
    ]);
  });

  test("a boolean column is a condition by itself", async () => {
    expect(await idsWhere((eb) => eb("active"))).toEqual(["ann", "bob"]);
  });

  test("a reference is compared by external id, by id, and by what another row holds", async () => {
    const invited = (by: unknown) =>
      db().find("customer", (b) =>
        b.whereIndex("idx_inviter", (eb) => eb("invitedBy", "=", by as string)),
      );
    expect(await invited("ann")).toHaveLength(2);
    expect(await invited(FragnoId.fromExternal("ann", 0))).toHaveLength(2);
    const [bob] = await invited("ann");
    expect(await invited(bob?.invitedBy)).toHaveLength(2);
    const inviter = await db().findFirst("customer", (b) =>
      b.whereIndex("primary", (eb) => eb("id", "=", "ann")),
    );
    expect(await invited(inviter?.id)).toHaveLength(2);
    const either = await db().find("customer", (b) =>
      b.whereIndex("idx_inviter", (eb) =>
        eb.or(eb("invitedBy", "in", ["ann", "bob"]), eb.not(eb.isNotNull("invitedBy"))),
      ),
    );
    expect(either).toHaveLength(3);
  });

  test("joins to one and to many nest, with their own conditions, orders, limits and columns", async () => {
    const found = await db().find("customer", (b) =>
      b
        .whereIndex("primary", (eb) => eb("id", "in", ["ann", "bob"]))
        .orderByIndex("primary", "asc")
        .join((j) =>
          j
            .inviter((i) => i.select(["name"]))
            .orders((o) =>
              o
                .orderByIndex("idx_total_due", "desc")
                .pageSize(2)
                .join((k) =>
                  k.lines((l) =>
                    l
                      .whereIndex("idx_sku", (eb) => eb("sku", "!=", "x"))
                      .orderByIndex("idx_sku", "desc")
                      .pageSize(1),
                  ),
                ),
            ),
        ),
    );
    expect(found).toHaveLength(2);
    const [ann, bob] = found;
    expect(ann?.inviter).toBeNull();
    expect(bob?.inviter).toEqual({ name: "Ann" });
    expect(ann?.orders.map(({ id, total }) => [id.externalId, total])).toEqual([
      ["o2", 2],
      ["o1", 1.5],
    ]);
    expect(ann?.orders[1]?.lines).toMatchObject([{ sku: "z", count: 3 }]);
    expect(ann?.orders[0]?.lines).toEqual([]);
    expect(ann?.orders[0]?.createdAt).toBeInstanceOf(Date);
    expect(ann?.orders[1]?.id.internalId).toBe(1n);
    expect(bob?.orders).toHaveLength(1);
  });

  test("a join whose condition can hold for no row gives none", async () => {
    const [ann] = await db().find("customer", (b) =>
      b
        .whereIndex("primary", (eb) => eb("id", "=", "ann"))
        .join((j) => j.orders((o) => o.whereIndex("idx_due", (eb) => eb.or()))),
    );
    expect(ann).toMatchObject({ name: "Ann" });
  });

  test("counts, chosen columns and limits", async () => {
    const uow = db().createUnitOfWork();
    uow.find("customer", (b) => b.whereIndex("primary").selectCount());
    uow.find("customer", (b) =>
      b.whereIndex("primary").select(["name"]).orderByIndex("primary", "desc").pageSize(2),
    );
    const [count, named] = (await uow.executeRetrieve()) as unknown[];
    expect(count).toBe(3);
    expect(named).toEqual([{ name: "100%_*" }, { name: "bob" }]);
  });

  test("updateMany and deleteMany change what their condition holds for", async () => {
    for (const id of ["m1", "m2", "m3"]) await db().create("customer", { id, name: "Many" });
    await db().updateMany("customer", (b) =>
      b.whereIndex("idx_name", (eb) => eb("name", "=", "Many")).set({ points: 77 }),
    );
    const many = await db().find("customer", (b) =>
      b.whereIndex("idx_name", (eb) => eb("name", "=", "Many")),
    );
    expect(many.map(({ points, id }) => [points, id.version])).toEqual([
      [77, 1],
      [77, 1],
      [77, 1],
    ]);
    await db().deleteMany("customer", (b) =>
      b.whereIndex("idx_name", (eb) => eb("name", "=", "Many")),
    );
    expect(await query(database, `select "id" from "customer_shop" where "points" = 77`)).toEqual(
      [],
    );
  });

  test("a cursor goes as an object too, keeps microseconds, and is refused where it does not belong", async () => {
    if (database.dialect.name === "postgres") {
      await query(
        database,
        `update "order_shop" set "dueAt" = timestamp '2026-01-01 00:00:00' + "_internalId" * interval '1 microsecond'`,
      );
    } else {
      await query(database, `update "order_shop" set "dueAt" = 1767225600000 + "_internalId"`);
    }
    const seen: string[] = [];
    let after: Cursor | undefined;
    do {
      const page = await db().findWithCursor("order", (b) => {
        const paged = b.whereIndex("idx_due");
        return after === undefined
          ? paged.orderByIndex("idx_due", "asc").pageSize(1)
          : paged.after(after);
      });
      seen.push(...page.items.map(({ id }) => id.externalId));
      after = page.cursor;
    } while (after !== undefined);
    expect(seen).toEqual(["o1", "o2", "o3"]);
    const ask = (cursor: string): Promise<unknown> =>
      db().findWithCursor("order", (b) =>
        b.whereIndex("idx_due").orderByIndex("idx_due", "asc").after(cursor),
      );
    const made = (indexName: string, indexValues: Record<string, unknown>): string =>
      new Cursor({ indexName, orderDirection: "asc", pageSize: 1, indexValues }).encode();
    for (const cursor of [
      "nonsense",
      made("idx_big", { big: "1" }),
      made("idx_due", {}),
      made("idx_due", { dueAt: "yesterday" }),
      made("idx_due", { dueAt: null, id: 5 }),
    ]) {
      await expect(ask(cursor)).rejects.toMatchObject({ code: "INVALID_CURSOR", status: 400 });
    }
  });

  test("a dry run sends nothing", async () => {
    const engine = createFragnoAdapter({ database }).createQueryEngine(shopSchema, "shop");
    const uow = engine.createUnitOfWork("dry", { dryRun: true });
    uow.create("customer", { id: "dry", name: "Dry" });
    expect(await uow.executeMutations()).toEqual({ success: true });
    expect(await query(database, `select "id" from "customer_shop" where "id" = 'dry'`)).toEqual(
      [],
    );
  });
});
