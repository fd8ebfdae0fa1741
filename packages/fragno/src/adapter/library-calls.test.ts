/** The library's calls besides transactions and routes: on our adapter, each does what its name says. */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { column, idColumn, schema } from "@fragno-dev/db/schema";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type AdapterQuery, createFragnoAdapter, type FragnoAdapter } from "./adapter.ts";
import { createHooksProcessor } from "./hooks/processor.ts";
import {
  countTrips,
  type CountedDatabase,
  query,
  SERVERS,
  type TestServer,
} from "./testing/databases.ts";
import { type Delivery, type Mail, mailSchema, openMail, sendLetter } from "./testing/mail.ts";

/** Fragno's own processing of hooks, which its index does not name. */
type ProcessHooks = (config: {
  readonly hooks: Readonly<Record<string, (payload: never) => unknown>>;
  readonly namespace: string;
  readonly internalFragment: unknown;
}) => Promise<void>;

async function loadProcessHooks(): Promise<ProcessHooks> {
  const entry = createRequire(import.meta.url).resolve("@fragno-dev/db");
  const path = entry.replace(/mod(?=\.\w+$)/u, "hooks/hooks");
  const library = (await import(pathToFileURL(path).href)) as { processHooks: ProcessHooks };
  return library.processHooks;
}

describe.each(SERVERS)("calls of the library on $name", ({ start }) => {
  let server: TestServer;
  let database: CountedDatabase;
  let adapter: FragnoAdapter;
  let mail: Mail;
  const deliveries: Delivery[] = [];

  beforeAll(async () => {
    server = await start();
    database = countTrips(server.open());
    adapter = createFragnoAdapter({ database });
    mail = await openMail(adapter, (delivery) => {
      deliveries.push(delivery);
    });
  });
  afterEach(async () => {
    deliveries.length = 0;
    await query(database, `delete from "fragno_hooks"`);
  });
  afterAll(() => server.drop());

  const queries = () => adapter.createQueryEngine(mailSchema, "mail");
  const internal = () => mail.$internal.linkedFragments._fragno_internal;
  const readPending = (namespace = "mail") =>
    internal().inContext(function () {
      return this.handlerTx()
        .withServiceCalls(
          () => [internal().services.hookService.getPendingHookEvents(namespace)] as const,
        )
        .transform(({ serviceResult: [events] }) => events)
        .execute();
    });
  const statuses = async (): Promise<unknown[]> => {
    const rows = await query(
      database,
      `select "status" from "fragno_hooks" order by "_internalId"`,
    );
    return rows.map(({ status }) => status);
  };

  test("S5-048 the pending hooks that the library asks for are those due, and whoever asks has them alone", async () => {
    for (const to of ["a", "b"]) await sendLetter(mail, to);
    expect(await readPending("another")).toEqual([]);
    const [first, second] = await Promise.all([readPending(), readPending()]);
    expect([...first, ...second].map(({ payload }) => payload)).toEqual([{ to: "a" }, { to: "b" }]);
    expect(first[0] ?? second[0]).toMatchObject({ hookName: "onLetter", attempts: 0 });
    expect(await createHooksProcessor([mail]).process()).toMatchObject({
      processedCount: 0,
    });
    expect(deliveries).toEqual([]);
  });

  test.each(["alone", "inside a request, behind its commit"])(
    "S5-048 Fragno's own processHooks runs each due hook once and marks it, %s",
    async (where) => {
      const processHooks = await loadProcessHooks();
      const ran: unknown[] = [];
      const hooks = {
        onLetter: (payload: never) => {
          ran.push(payload);
          if ((payload as { to: string }).to === "bad") throw new RangeError("no such street");
        },
      };
      const config = { hooks, namespace: "mail", internalFragment: internal() };
      for (const to of ["good", "bad"]) await sendLetter(mail, to);
      const processTwice = (): Promise<unknown> =>
        Promise.all([processHooks(config), processHooks(config)]);
      if (where === "alone") await processTwice();
      else {
        await mail.inContext(async function () {
          await this.handlerTx()
            .withServiceCalls(() => [mail.services.list("good")] as const)
            .execute();
          await processTwice();
        });
      }
      // Two look at the same time; which of them gets which is undefined.
      expect(ran).toHaveLength(2);
      expect(ran).toEqual(expect.arrayContaining([{ to: "good" }, { to: "bad" }]));
      expect(await statuses()).toEqual(["completed", "pending"]);
      expect(deliveries).toEqual([]);
    },
  );

  test("S5-048 onQuery of a unit of work is told of each statement before it is sent", async () => {
    const told: AdapterQuery[] = [];
    const uow = queries().createUnitOfWork("watched", {
      onQuery: (sent: AdapterQuery) => void told.push(sent),
    });
    uow.find("letter", (b) => b.whereIndex("idx_to", (eb) => eb("to", "=", "ann")));
    await uow.executeRetrieve();
    expect(told).toEqual([
      { sql: expect.stringMatching(/^select .*"letter_mail"/u) as string, parameters: ["ann"] },
    ]);
    const id = uow.create("letter", { to: "bob" });
    uow.update("letter", id, (b) => b.set({ seen: 1 }));
    await uow.executeMutations();
    const written = told.slice(1).map(({ sql }) => sql);
    expect(written).toContainEqual(expect.stringContaining("insert into"));
    expect(written).toContainEqual(expect.stringContaining("update "));
    expect(told.flatMap(({ parameters }) => parameters)).toContain("bob");
    const dry = queries().createUnitOfWork("dry", {
      dryRun: true,
      onQuery: (sent: AdapterQuery) => void told.push(sent),
    });
    database.sent.trips = 0;
    told.length = 0;
    dry.create("letter", { to: "nobody" });
    await dry.executeMutations();
    expect([told.length, database.sent.trips]).toEqual([1, 0]);
  });

  test("S5-048 migrations of a schema make Fragno's own tables first when they are missing", async () => {
    const fresh = await start();
    const made = schema((s) => s.addTable("thing", (t) => t.addColumn("id", idColumn())));
    const grown = schema((s) =>
      s
        .addTable("thing", (t) => t.addColumn("id", idColumn()))
        .alterTable("thing", (t) => t.addColumn("note", column("string").nullable())),
    );
    const open = () => createFragnoAdapter({ database: fresh.open() });
    // Several processes start at the same time on an empty database, and none has built a fragment.
    const migrations = () => open().prepareMigrations(made, "things").execute(0, 1);
    await Promise.all([migrations(), migrations(), migrations()]);
    await open().prepareMigrations(grown, "things").execute(1, 2);
    expect(await open().getSchemaVersion("things")).toBe("2");
    expect(await open().getSchemaVersion("")).toBe("2");
    await openMail(open(), () => undefined);
    expect(await open().getSchemaVersion("mail")).toBe(String(mailSchema.version));
    await fresh.drop();
  });
});
