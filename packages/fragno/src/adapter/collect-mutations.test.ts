import { ConcurrencyConflictError } from "@fragno-dev/db";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BatchResult } from "@escapement/db/client";
import { collectMutations, prepareTransaction } from "./collect-mutations.ts";
import { createHooksProcessor } from "./hooks/processor.ts";
import { createFragnoAdapter, type FragnoAdapter } from "./adapter.ts";
import {
  countTrips,
  type CountedDatabase,
  query,
  SERVERS,
  type TestServer,
} from "./testing/databases.ts";
import { type Mail, mailHooks, mailSchema, openMail } from "./testing/mail.ts";
import { openShop, shopSchema } from "./testing/shop.ts";

describe.each(SERVERS)("collected mutations on $name", ({ start }) => {
  let server: TestServer;
  let database: CountedDatabase;
  let adapter: FragnoAdapter;
  let mail: Mail;
  const delivered: string[] = [];

  beforeAll(async () => {
    server = await start();
    database = countTrips(server.open());
    adapter = createFragnoAdapter({ database });
    mail = await openMail(adapter, ({ to }) => void delivered.push(to));
    await openShop(adapter);
  });
  afterAll(() => server.drop());

  const letters = (to: string) =>
    query(database, `select "to", "seen" from "letter_mail" where "to" = '${to}'`);
  const lostFence = () => ({ text: database.dialect.guard("lease", "1 = 2"), values: [] });

  test("writes of several fragments, their hooks and rows that refer to each other are applied with the batch", async () => {
    const { statements } = collectMutations(adapter, ({ forSchema }) => {
      const mails = forSchema(mailSchema, mailHooks);
      const letter = mails.create("letter", { to: "ann" });
      mails.update("letter", letter, (b) => b.set({ seen: 3 }));
      mails.triggerHook("onLetter", { to: "ann" });
      const shop = forSchema(shopSchema);
      const customer = shop.create("customer", { id: "c", name: "C" });
      shop.create("order", { customerId: customer, total: 1 });
    });
    expect(database.sent.statements).toBeGreaterThan(0);
    expect(await letters("ann")).toEqual([]);
    expect(await database.batch(statements)).toMatchObject({ kind: "committed" });
    expect(await letters("ann")).toEqual([{ to: "ann", seen: 3 }]);
    expect(await query(database, `select "total" from "order_shop"`)).toHaveLength(1);
    await createHooksProcessor([mail]).process();
    expect(delivered).toEqual(["ann"]);
  });

  test("a fence that is lost writes nothing, and the refusal is not theirs", async () => {
    const collected = collectMutations(adapter, ({ forSchema }) => {
      forSchema(mailSchema).create("letter", { to: "fenced" });
    });
    const result = await database.batch([lostFence(), ...collected.statements]);
    expect(result).toMatchObject({ kind: "conflict", guard: "lease" });
    expect(await letters("fenced")).toEqual([]);
    expect(collected.explain(refusalOf(result))).toBeNull();
  });

  test("a refusal of theirs is told as the error that the transaction would have thrown", async () => {
    const send = async (collect: Parameters<typeof collectMutations>[1]) => {
      const { statements, explain } = collectMutations(adapter, collect);
      return explain(refusalOf(await database.batch(statements)));
    };
    const create = () =>
      send(({ forSchema }) => void forSchema(mailSchema).create("letter", { id: "x", to: "x" }));
    await database.batch(
      collectMutations(adapter, ({ forSchema }) => {
        forSchema(mailSchema).create("letter", { id: "x", to: "x" });
      }).statements,
    );
    expect(await create()).toMatchObject({ code: "UNIQUE_VIOLATION" });
    expect(
      await send(({ forSchema }) => {
        forSchema(mailSchema).update("letter", "nobody", (b) => b.set({ seen: 1 }));
      }),
    ).toMatchObject({ code: "ROW_NOT_FOUND" });
    const [letter] = await mail.$internal.deps.db.find("letter", (b) =>
      b.whereIndex("primary", (eb) => eb("id", "=", "x")),
    );
    await mail.$internal.deps.db.update("letter", "x", (b) => b.set({ seen: 1 }));
    expect(
      await send(({ forSchema }) => {
        if (letter !== undefined) forSchema(mailSchema).check("letter", letter.id);
      }),
    ).toBeInstanceOf(ConcurrencyConflictError);
  });

  test("a prepared transaction calls services, reads in 1 trip, and goes on after somebody else's commit", async () => {
    database.sent.trips = 0;
    const prepared = await prepareTransaction(adapter, (tx) =>
      tx
        .withServiceCalls(() => [mail.services.list("dave"), mail.services.send("dave")] as const)
        .transform(({ serviceResult: [before, id] }) => [before.length, id.externalId]),
    );
    expect(database.sent.trips).toBe(1);
    expect(await letters("dave")).toEqual([]);
    const result = await database.batch(prepared.statements);
    expect(result.kind).toBe("committed");
    if (result.kind !== "committed") return;
    const [before, id] = await prepared.complete(result.rows);
    expect([before, typeof id]).toEqual([0, "string"]);
    expect(await letters("dave")).toHaveLength(1);
  });

  test("a prepared transaction that is abandoned has done nothing; one that fails early says so", async () => {
    const prepared = await prepareTransaction(adapter, (tx) =>
      tx.withServiceCalls(() => [mail.services.send("eve")] as const),
    );
    prepared.abandon();
    expect(await letters("eve")).toEqual([]);
    const failing = prepareTransaction(adapter, (tx) =>
      tx.mutate(() => {
        throw new RangeError("author's own");
      }),
    );
    await expect(failing).rejects.toThrow("author's own");
  });
});

function refusalOf(result: BatchResult) {
  if (result.kind === "committed") throw new RangeError("the batch was applied");
  return result;
}
