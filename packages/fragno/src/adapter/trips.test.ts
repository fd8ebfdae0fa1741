/** Round trips per operation, counted on the wire on Postgres and at the port elsewhere. */
import { createPostgresDatabase, startPostgresProxy } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPgDatabase } from "@escapement/db/pg";
import { collectMutations } from "./collect-mutations.ts";
import { createHooksProcessor } from "./hooks/processor.ts";
import { createFragnoAdapter } from "./adapter.ts";
import { countTrips, SERVERS, type TestServerKind } from "./testing/databases.ts";
import { type Mail, mailSchema, openMail, sendLetter } from "./testing/mail.ts";
import { openShop, shopSchema } from "./testing/shop.ts";

/** A database, and a counter of trips. */
interface Counter {
  readonly database: Parameters<typeof createFragnoAdapter>[0]["database"];
  readonly count: (work: () => Promise<unknown>) => Promise<number>;
  readonly drop: () => Promise<void>;
}

async function onTheWire(): Promise<Counter> {
  const server = await createPostgresDatabase();
  const proxy = await startPostgresProxy(server.url);
  const database = createPgDatabase({ connectionString: proxy.url, max: 1 });
  return {
    database,
    async count(work) {
      await database.batch([{ text: "select 1", values: [] }]);
      proxy.reset();
      await work();
      return proxy.stats().trips;
    },
    async drop() {
      await database.close();
      await proxy.stop();
      await server.drop();
    },
  };
}

async function atThePort(kind: TestServerKind): Promise<Counter> {
  const server = await kind.start();
  const database = countTrips(server.open());
  return {
    database,
    async count(work) {
      database.sent.trips = 0;
      await work();
      return database.sent.trips;
    },
    drop: () => server.drop(),
  };
}

const SUBJECTS = [
  { name: "Postgres, on the wire", open: onTheWire },
  ...SERVERS.slice(1).map((kind) => ({ name: kind.name, open: () => atThePort(kind) })),
];

describe.each(SUBJECTS)("trips on $name", ({ open }) => {
  let counter: Counter;
  let shop: Awaited<ReturnType<typeof openShop>>;
  let mail: Mail;
  let number = 0;

  beforeAll(async () => {
    counter = await open();
    const adapter = createFragnoAdapter({ database: counter.database });
    shop = await openShop(adapter);
    mail = await openMail(adapter, () => undefined);
  });
  afterAll(() => counter.drop());

  /** A letter and a customer in one transaction, with or without a read before. */
  const compose = (looksFirst: boolean): Promise<unknown> =>
    shop.inContext(function () {
      number += 1;
      const to = `n${number}`;
      return this.handlerTx()
        .withServiceCalls(
          () => [mail.services.send(to), ...(looksFirst ? [mail.services.list(to)] : [])] as const,
        )
        .mutate(({ forSchema }) => forSchema(shopSchema).create("customer", { name: to }))
        .execute();
    });

  test("a blind create with its hook is 1 trip", async () => {
    expect(await counter.count(() => sendLetter(mail, "blind"))).toBe(1);
  });

  test("a composed create and a row of one's own are 1 trip, 2 with a look at what is there", async () => {
    expect(await counter.count(() => compose(false))).toBe(1);
    expect(await counter.count(() => compose(true))).toBe(2);
  });

  test("a read is 1 trip, however many finds and joins it has", async () => {
    const read = (): Promise<unknown> =>
      shop.inContext(function () {
        return this.handlerTx()
          .withServiceCalls(() => [mail.services.list("blind")] as const)
          .retrieve(({ forSchema }) =>
            forSchema(shopSchema)
              .find("customer", (b) =>
                b.whereIndex("primary").join((j) => j.orders((o) => o.join((k) => k.lines()))),
              )
              .find("order", (b) => b.whereIndex("primary").selectCount()),
          )
          .execute();
      });
    expect(await counter.count(read)).toBe(1);
  });

  test("a read, its changes and a check are 2 trips", async () => {
    const id = await shop.$internal.deps.db.create("customer", { name: "Changed" });
    const change = (): Promise<unknown> =>
      shop.inContext(function () {
        return this.handlerTx()
          .retrieve(({ forSchema }) =>
            forSchema(shopSchema).find("customer", (b) =>
              b.whereIndex("primary", (eb) => eb("id", "=", id)),
            ),
          )
          .mutate(({ forSchema, retrieveResult: [found] }) => {
            const uow = forSchema(shopSchema);
            for (const customer of found) {
              uow.check("customer", customer.id);
              uow.update("customer", customer.id, (b) => b.set({ points: 1 }).check());
            }
          })
          .execute();
      });
    expect(await counter.count(change)).toBe(2);
  });

  test("another fragment's writes inside a step's batch are 1 trip", async () => {
    const { database } = counter;
    const step = async (): Promise<void> => {
      const { statements } = collectMutations(createFragnoAdapter({ database }), (tx) => {
        const uow = tx.forSchema(mailSchema);
        const letter = uow.create("letter", { to: "step" });
        uow.update("letter", letter, (b) => b.set({ seen: 1 }));
      });
      const fence = { text: "select 1 as fence", values: [] };
      expect(await database.batch([fence, ...statements])).toMatchObject({ kind: "committed" });
    };
    expect(await counter.count(step)).toBe(1);
  });

  test("a tick of hooks is 1 trip with nothing due, 2 for a batch of them", async () => {
    const processor = createHooksProcessor([mail]);
    await processor.process();
    expect(await counter.count(() => processor.process())).toBe(1);
    await sendLetter(mail, "due");
    await sendLetter(mail, "due too");
    expect(await counter.count(() => processor.process())).toBe(2);
  });
});
