/** Transactions: defects 14 to 21 of the library's own adapter, each absent from ours. */
import { ConcurrencyConflictError } from "@fragno-dev/db";
import { FragnoId } from "@fragno-dev/db/schema";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@escapement/db";
import { createFragnoAdapter } from "./adapter.ts";
import { createJitteredRetryPolicy } from "./retry-policy.ts";
import { FragnoAdapterError } from "./errors.ts";
import {
  countTrips,
  type CountedDatabase,
  query,
  SERVERS,
  type TestServer,
} from "./testing/databases.ts";
import { type Mail, openMail, sendLetter } from "./testing/mail.ts";
import { createShopSchema, defineShop, openShop, shopSchema } from "./testing/shop.ts";

type Shop = Awaited<ReturnType<typeof openShop>>;

describe.each(SERVERS)("transactions on $name", ({ name, start }) => {
  let server: TestServer;
  let database: CountedDatabase;
  let shop: Shop;
  let mail: Mail;

  beforeAll(async () => {
    server = await start();
    database = countTrips(server.open("-c default_transaction_isolation=serializable"));
    const adapter = createFragnoAdapter({ database });
    shop = await openShop(adapter);
    mail = await openMail(adapter, () => undefined);
  });
  afterAll(() => server.drop());

  const db = () => shop.$internal.deps.db;
  const readCustomer = (id: string) =>
    db().findFirst("customer", (b) => b.whereIndex("primary", (eb) => eb("id", "=", id)));

  /** Adds a point to a customer in a transaction of its own, checked against what it read. */
  const addPoint = (id: string, retryPolicy?: ReturnType<typeof createJitteredRetryPolicy>) =>
    shop.inContext(function () {
      return this.handlerTx(retryPolicy === undefined ? {} : { retryPolicy })
        .retrieve(({ forSchema }) =>
          forSchema(shopSchema).find("customer", (b) =>
            b.whereIndex("primary", (eb) => eb("id", "=", id)),
          ),
        )
        .mutate(({ forSchema, retrieveResult: [found] }) => {
          const customer = found[0];
          if (customer === undefined) return;
          forSchema(shopSchema).update("customer", customer.id, (b) =>
            b.set({ points: customer.points + 1 }).check(),
          );
        })
        .execute();
    });

  test("fragno defect 14: a check of a row that somebody changed undoes the transaction", async () => {
    const id = await db().create("customer", { name: "Checked" });
    const uow = db().createUnitOfWork();
    uow.create("customer", { id: "by-check", name: "Never" });
    uow.check("customer", new FragnoId({ externalId: id.externalId, version: 7 }));
    expect(await uow.executeMutations()).toEqual({ success: false });
    expect(await readCustomer("by-check")).toBeNull();
    const again = db().createUnitOfWork();
    again.check("customer", id);
    again.create("customer", { id: "by-check", name: "Now" });
    expect(await again.executeMutations()).toEqual({ success: true });
  });

  // sqld 0.24.32 sometimes blocks a waiting writer when about twenty clients write at once: packages/db/README.md.
  const writerCount = name === "sqld" ? 5 : 20;

  test("fragno defect 15: S2-012 contending writers all succeed, under SERIALIZABLE too", async () => {
    for (const id of ["s0", "s1", "s2"]) await db().create("customer", { id, name: id });
    const retryPolicy = createJitteredRetryPolicy();
    await Promise.all(
      Array.from({ length: writerCount }, (_, n) => addPoint(`s${n % 3}`, retryPolicy)),
    );
    await Promise.all(Array.from({ length: writerCount }, () => addPoint("s0", retryPolicy)));
    const points = await query(database, `select sum("points") as n from "customer_shop"`);
    expect(points).toEqual([{ n: 2 * writerCount }]);
  });

  test("fragno defect 16: a row that exists already is one coded error, and 409 from a route", async () => {
    await db().create("customer", { id: "twice", name: "Once", email: "twice@x.org" });
    const again = { id: "other", name: "Other", email: "twice@x.org" };
    const refused = db().create("customer", again);
    await expect(refused).rejects.toMatchObject({ code: "UNIQUE_VIOLATION", status: 409 });
    await expect(refused).rejects.toSatisfy(FragnoAdapterError.is);
    await expect(refused).rejects.toMatchObject({
      details: { constraint: expect.stringContaining("email") as string },
    });
    const log = vi.spyOn(console, "error").mockReturnValue(undefined);
    const send = (): Promise<Response> =>
      mail.handler(new Request("http://localhost/api/mail/letters/one", { method: "POST" }));
    const answers = await Promise.all([send(), send(), send()]);
    log.mockRestore();
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["200", "409", "409"]);
    expect(await answers.find(({ status }) => status === 409)?.json()).toMatchObject({
      code: "UNIQUE_VIOLATION",
    });
  });

  test("fragno defect 17: an error is judged by its kind, whatever its text", async () => {
    await query(
      database,
      database.dialect.name === "postgres"
        ? `alter table "line_shop" add constraint "Version conflict" check ("count" < 100)`
        : `create trigger "t" before insert on "line_shop" when new."count" >= 100 begin select raise(abort, 'Version conflict'); end`,
    );
    await db().create("order", { id: "o", customerId: "s0", total: 1 });
    database.sent.trips = 0;
    let tries = 0;
    const create = shop.inContext(function () {
      return this.handlerTx()
        .mutate(({ forSchema }) => {
          tries += 1;
          forSchema(shopSchema).create("line", { orderId: "o", sku: "x", count: 100 });
        })
        .execute();
    });
    await expect(create).rejects.toMatchObject({ code: "DATABASE_REJECTED" });
    expect({ tries, trips: database.sent.trips }).toEqual({ tries: 1, trips: 1 });
  });

  test("fragno defect 18: transactions of one request that run at the same time keep apart", async () => {
    const results = await shop.inContext(function () {
      const add = (id: string) =>
        this.handlerTx()
          .retrieve(({ forSchema }) =>
            forSchema(shopSchema).find("customer", (b) =>
              b.whereIndex("primary", (eb) => eb("id", "=", id)),
            ),
          )
          .mutate(({ forSchema, retrieveResult: [found] }) => {
            forSchema(shopSchema).create("customer", { id, name: id });
            return found.length;
          })
          .execute();
      return Promise.all(["c1", "c2", "c3"].map(add));
    });
    expect(results).toEqual([0, 0, 0]);
    for (const id of ["c1", "c2", "c3"]) expect(await readCustomer(id)).toMatchObject({ name: id });
  });

  test("fragno defect 19: the reads of one phase see one moment", async () => {
    await query(database, `delete from "line_shop"`);
    const shared = createFragnoAdapter({ database: server.open() });
    const reader = await openShop(shared);
    const lines = ["left", "right"].map((sku) => ({ orderId: "o", sku, count: 0 }));
    await db().createMany("line", lines);
    const progress = { writing: true };
    const writer = (async () => {
      for (let round = 1; round <= 30; round += 1) {
        await query(database, `update "line_shop" set "count" = ${round}`);
      }
      progress.writing = false;
    })();
    while (progress.writing) {
      const uow = reader.$internal.deps.db.createUnitOfWork();
      for (const sku of ["left", "right"])
        uow.find("line", (b) => b.whereIndex("idx_sku", (eb) => eb("sku", "=", sku)));
      const [left, right] = (await uow.executeRetrieve()) as unknown as { count: number }[][];
      expect(left?.[0]?.count).toBe(right?.[0]?.count);
    }
    await writer;
  });

  test("fragno defect 20: one schema object under two namespaces is refused, two objects are kept apart", async () => {
    const adapter = createFragnoAdapter({ database });
    expect(() => adapter.createQueryEngine(shopSchema, "second")).toThrow(
      expect.objectContaining({ code: "SCHEMA_IN_TWO_NAMESPACES" }),
    );
    const second = await openShop(adapter, defineShop(createShopSchema(), "second"));
    await second.$internal.deps.db.create("customer", { id: "only-second", name: "S" });
    expect(await readCustomer("only-second")).toBeNull();
    expect(await query(database, `select "id" from "customer_second"`)).toEqual([
      { id: "only-second" },
    ]);
  });

  test("fragno defect 21: fragments on two adapters of one database compose; of two databases, they say why not", async () => {
    const other = await openMail(createFragnoAdapter({ database }), () => undefined);
    const composeWith = (guest: Mail, to: string): Promise<unknown> =>
      shop.inContext(function () {
        return this.handlerTx()
          .withServiceCalls(() => [guest.services.send(to)] as const)
          .execute();
      });
    await composeWith(other, "composed");
    expect(await query(database, `select "to" from "letter_mail" where "to" = 'composed'`)).toEqual(
      [{ to: "composed" }],
    );
    const stranger: Database = server.open();
    const foreign = await openMail(createFragnoAdapter({ database: stranger }), () => undefined);
    await expect(composeWith(foreign, "foreign")).rejects.toMatchObject({ code: "NO_TRANSACTION" });
  });

  test("a row that was read and is gone by the time of the update is a conflict, checked or not", async () => {
    await db().create("customer", { id: "gone", name: "Gone" });
    const read = await readCustomer("gone");
    await db().delete("customer", "gone");
    const uow = db().createUnitOfWork();
    if (read !== null) uow.update("customer", read.id, (b) => b.set({ points: 1 }));
    expect(await uow.executeMutations()).toEqual({ success: false });
  });

  test("a conflict that never ends is Fragno's own error", async () => {
    const id = await db().create("customer", { name: "Stale" });
    await sendLetter(mail, "warm");
    const stale = new FragnoId({ externalId: id.externalId, version: 9 });
    const update = shop.inContext(function () {
      return this.handlerTx({ retryPolicy: createJitteredRetryPolicy({ maxRetries: 1 }) })
        .mutate(({ forSchema }) => forSchema(shopSchema).check("customer", stale))
        .execute();
    });
    await expect(update).rejects.toBeInstanceOf(ConcurrencyConflictError);
  });
});
