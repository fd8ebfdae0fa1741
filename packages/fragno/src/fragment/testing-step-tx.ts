/** For the tests of step transactions: a database with the engine's tables and another fragment, with its trips counted. */
import {
  createPostgresDatabase,
  sqldAvailable,
  startSqld,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import type { Database, Row } from "@escapement/db";
import type { Statement } from "@escapement/db/client";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createPgDatabase } from "@escapement/db/pg";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { defineFragment, instantiate } from "@fragno-dev/core";
import { migrate as migrateFragment, withDatabase } from "@fragno-dev/db";
import { column, idColumn, schema } from "@fragno-dev/db/schema";
import { createClient } from "@libsql/client";
import Libsql from "libsql";
import { createEngine, type Engine, type WorkflowsRegistry } from "@escapement/engine";
import type { Store } from "@escapement/engine/internal";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { type VirtualClock, withVirtualClock } from "@escapement/engine/testing";
import { createFragnoAdapter, type FragnoAdapter } from "../adapter/adapter.ts";
import { createStepTransactions } from "./step-transactions.ts";

/** Accounts, and entries with unique keys. */
export const bankSchema = schema((s) =>
  s
    .addTable("account", (t) =>
      t.addColumn("id", idColumn()).addColumn("balance", column("integer").defaultTo(0)),
    )
    .addTable("entry", (t) =>
      t
        .addColumn("id", idColumn())
        .addColumn("key", column("string"))
        .addColumn("amount", column("integer").defaultTo(0))
        .createIndex("idx_key", ["key"], { unique: true }),
    ),
);

interface BankConfig {
  readonly onEntry: (key: string) => void;
}

const bankDefinition = defineFragment<BankConfig>("bank")
  .extend(withDatabase(bankSchema))
  .provideHooks(({ defineHook, config }) => ({
    onEntry: defineHook(function (payload: { key: string }) {
      config.onEntry(payload.key);
    }),
  }))
  .providesBaseService(({ defineService }) =>
    defineService({
      /** Reads an account, and books on it if it is unchanged. */
      book(id: string, amount: number) {
        return this.serviceTx(bankSchema)
          .retrieve((uow) =>
            uow.findFirst("account", (b) => b.whereIndex("primary", (eb) => eb("id", "=", id))),
          )
          .mutate(({ uow, retrieveResult: [account] }) => {
            if (account === null) return;
            const balance = account.balance + amount;
            uow.update("account", account.id, (b) => b.set({ balance }).check());
            uow.triggerHook("onEntry", { key: id });
          })
          .build();
      },
    }),
  )
  .build();

const buildBank = (databaseAdapter: FragnoAdapter, onEntry: BankConfig["onEntry"]) =>
  instantiate(bankDefinition)
    .withConfig({ onEntry })
    .withRoutes([])
    .withOptions({ databaseAdapter })
    .build();

/** A database of one test file. */
interface Server {
  readonly open: () => Database;
  readonly remove: () => Promise<void> | void;
}

export interface ServerKind {
  readonly name: string;
  readonly start: () => Promise<Server>;
}

const onPostgres = (name: string, settings = ""): ServerKind => ({
  name,
  async start() {
    const { url, drop } = await createPostgresDatabase();
    const connectionString = `${url}${settings}`;
    return {
      open: () => createPgDatabase({ connectionString, preparedStatements: true, max: 4 }),
      remove: drop,
    };
  },
});

const POSTGRES = onPostgres("Postgres");

/** With the strictest isolation by default, as in some installations. */
export const SERIALIZABLE: ServerKind = onPostgres(
  "Postgres, serializable",
  "?options=-c%20default_transaction_isolation%3Dserializable",
);

export const EMBEDDED: ServerKind = {
  name: "embedded libSQL",
  async start() {
    const directory = temporaryDirectory();
    return {
      open() {
        const connection = new Libsql(`${directory.path}/bank.db`);
        applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
        return createSqliteDatabase(connection);
      },
      remove: () => directory.remove(),
    };
  },
};

const SQLD: ServerKind = {
  name: "sqld",
  async start() {
    const server = await startSqld();
    return {
      open: () => createLibsqlDatabase(createClient({ url: server.url })),
      remove: () => server.stop(),
    };
  },
};

export const SERVERS: readonly ServerKind[] = [
  POSTGRES,
  EMBEDDED,
  ...(sqldAvailable() ? [SQLD] : []),
];

/** Interferes with a batch. */
export type Meddle = (
  statements: readonly Statement[],
  send: () => ReturnType<Database["batch"]>,
) => ReturnType<Database["batch"]>;

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Bench {
  readonly database: Database;
  readonly adapter: FragnoAdapter;
  readonly bank: ReturnType<typeof buildBank>;
  readonly store: Store;
  readonly clock: VirtualClock;
  /** The keys that the hook was called with. */
  readonly booked: string[];
  readonly log: LogLine[];
  /** How many batches were sent so far. */
  readonly trips: () => number;
  /** From now on, every batch goes through this. */
  meddle(meddle: Meddle): void;
  createEngine<const TRegistry extends WorkflowsRegistry>(
    workflows: TRegistry,
    store?: Store,
  ): Engine<TRegistry>;
  query(text: string): Promise<readonly Row[]>;
  close(): Promise<void>;
}

const untouched: Meddle = (_statements, send) => send();

export async function openBench({ start }: ServerKind): Promise<Bench> {
  const server = await start();
  const plain = server.open();
  await migrate(plain);
  let trips = 0;
  let meddle = untouched;
  let isOpen = true;
  const counted: Database = {
    dialect: plain.dialect,
    batch(statements) {
      // Processes that died in a test may keep ticking after it; they get no answers, and nothing is reported.
      if (!isOpen) return new Promise(() => {});
      trips += 1;
      return meddle(statements, () => plain.batch(statements));
    },
    close: () => plain.close(),
  };
  const { database, clock } = await withVirtualClock(counted);
  const adapter = createFragnoAdapter({ database: counted });
  const booked: string[] = [];
  const bank = buildBank(adapter, (key) => void booked.push(key));
  await migrateFragment(bank);
  const store = createSqlStore({ database });
  const log: LogLine[] = [];
  return {
    database: counted,
    adapter,
    bank,
    store,
    clock,
    booked,
    log,
    trips: () => trips,
    meddle(next) {
      meddle = next;
    },
    createEngine: (workflows, other = store) =>
      createEngine({
        workflows,
        store: other,
        stepTransactions: createStepTransactions(adapter),
        logger: { log: (level, event, fields) => void log.push({ level, event, fields }) },
      }),
    async query(text) {
      const result = await plain.batch([{ text, values: [] }]);
      return result.kind === "committed" ? (result.rows[0] ?? []) : [];
    },
    async close() {
      isOpen = false;
      await store.close();
      await server.remove();
    },
  };
}

/** Ticks until nothing is due. */
export async function runUntilIdle(engine: Pick<Engine, "tick">): Promise<void> {
  for (let count = 0; count < 100; count += 1) {
    const { processed, moreDue } = await engine.tick();
    if (processed === 0 && !moreDue) return;
  }
  throw new RangeError("work was still due after 100 ticks");
}
