/** The transaction that Kysely passes to a callback, or that `startTransaction` begins. */
import { hasMethod, type Opened, type Opening } from "./opening.ts";
import { postgresRunner } from "./postgres.ts";
import { sqliteRunner } from "./sqlite.ts";
import { unusable } from "./transaction-errors.ts";

interface KyselyTransaction {
  readonly isTransaction: boolean;
  executeQuery(query: object): Promise<{ readonly rows: readonly unknown[] }>;
  withoutPlugins(): KyselyTransaction;
  getExecutor(): { readonly adapter: DialectAdapter };
}

/** @source https://kysely-org.github.io/kysely-apidoc/interfaces/DialectAdapter.html (read 2026-11) */
interface DialectAdapter {
  readonly supportsReturning: boolean;
  readonly supportsTransactionalDdl: boolean;
}

export const openKysely: Opening = (transaction) => {
  if (!isKysely(transaction)) return null;
  if (!transaction.isTransaction)
    throw unusable(
      "this is the Kysely instance, not a transaction: pass the trx of its transaction",
    );
  // Plugins would rename columns.
  const plain = transaction.withoutPlugins();
  const query = async (text: string, values: readonly unknown[]): Promise<unknown> =>
    (await plain.executeQuery(toCompiled(text, values))).rows;
  return {
    dialect: dialectOf(transaction.getExecutor().adapter),
    runner: (dialect) =>
      dialect === "postgres"
        ? postgresRunner(query)
        : sqliteRunner(({ text, values }) => query(text, values)),
  };
};

const isKysely = (value: object): value is KyselyTransaction =>
  hasMethod(value, "executeQuery") && hasMethod(value, "withoutPlugins");

/** `returning` with transactions around DDL: Postgres; without: SQLite. A database without `returning` refuses by itself. */
const dialectOf = (adapter: DialectAdapter): Opened["dialect"] => {
  if (!adapter.supportsReturning) return null;
  return adapter.supportsTransactionalDdl ? "postgres" : "sqlite";
};

/** Like Kysely's own `CompiledQuery.raw(text, values)`, without loading Kysely. */
const toCompiled = (text: string, values: readonly unknown[]): object => ({
  sql: text,
  parameters: values,
  query: { kind: "RawNode", sqlFragments: [text], parameters: [] },
  queryId: { queryId: "escapement" },
});
