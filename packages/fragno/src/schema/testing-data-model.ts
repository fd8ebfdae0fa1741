/** For the tests of the data model: empty databases, and the tables of a database. */
import { createPostgresDatabase } from "@escapement-internal/test-servers";
import type { Database, Row } from "@escapement/db";
import { createPgDatabase } from "@escapement/db/pg";
import { createSqliteDatabase } from "@escapement/db/sqlite";
import type { GenericSQLOptions } from "@fragno-dev/db/adapters/generic-sql";
import { PostgresDialect, SqliteDialect } from "@fragno-dev/db/dialects";
import { BetterSQLite3DriverConfig, NodePostgresDriverConfig } from "@fragno-dev/db/drivers";
import Libsql from "libsql";
import { Pool } from "pg";
import { installRuntimeShims } from "../adapter/runtime-shims.ts";

installRuntimeShims();

type Query = (sql: string) => Promise<readonly Row[]>;

/** An empty database, accessed through the Batch port, by Fragno, and by plain queries. */
export interface TestDatabase {
  readonly database: Database;
  readonly fragno: GenericSQLOptions;
  readonly query: Query;
  /** Runs many statements, separated by semicolons. */
  execute(script: string): Promise<unknown>;
  drop(): Promise<void>;
}

export async function openPostgres(): Promise<TestDatabase> {
  const created = await createPostgresDatabase();
  const pool = new Pool({ connectionString: created.url, max: 1 });
  pool.on("connect", (client) => client.on("error", () => undefined));
  const query: Query = async (sql) => (await pool.query<Row>(sql)).rows;
  return {
    database: createPgDatabase({ pool }),
    fragno: {
      dialect: new PostgresDialect({ pool }),
      driverConfig: new NodePostgresDriverConfig(),
    },
    query,
    execute: (script) => pool.query(script),
    drop: async () => {
      await pool.end();
      await created.drop();
    },
  };
}

function openSqlite(): Promise<TestDatabase> {
  const connection = new Libsql(":memory:");
  const read = (sql: string): readonly Row[] => {
    const statement = connection.prepare(sql);
    if (statement.reader) return statement.all() as Row[];
    statement.run();
    return [];
  };
  const query: Query = (sql) => Promise.resolve(sql).then(read);
  return Promise.resolve({
    database: createSqliteDatabase(connection),
    fragno: {
      dialect: new SqliteDialect({ database: connection }),
      driverConfig: new BetterSQLite3DriverConfig(),
    },
    query,
    execute: (script) => Promise.resolve(connection.exec(script)),
    drop: () => Promise.resolve(void connection.close()),
  });
}

export const DATABASES = [
  ["Postgres", openPostgres],
  ["embedded libSQL", openSqlite],
] as const;

/** Tables, columns and indexes in a form that is the same for both databases. */
export interface Shape {
  /** By table: "name type" and " null" where allowed, in order. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** By index: "table (columns)", with "unique" and "where …". */
  readonly indexes: Readonly<Record<string, string>>;
}

const POSTGRES_COLUMNS = `
  select table_name as "table", column_name || ' ' || data_type
      || coalesce('(' || character_maximum_length || ')', '')
      || case is_nullable when 'YES' then ' null' else '' end
      || coalesce(' default ' || column_default, '') as "item"
  from information_schema.columns where table_schema = current_schema()
  order by table_name, ordinal_position`;

const POSTGRES_INDEXES = `
  select i.relname as "name", case when x.indisunique then 'unique ' else '' end || t.relname || ' ('
      || array_to_string(array(select a.attname from unnest(x.indkey) with ordinality as k(number, place)
           join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.number order by place), ', ')
      || ')' || coalesce(' where ' || pg_get_expr(x.indpred, x.indrelid), '') as "item"
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
  where i.relnamespace = current_schema()::regnamespace order by i.relname`;

const SQLITE_COLUMNS = `
  select t.name as "table", c.name || ' ' || c.type || case c."notnull" when 0 then ' null' else '' end
      || coalesce(' default ' || c.dflt_value, '') as "item"
  from sqlite_master t join pragma_table_info(t.name) c
  where t.type = 'table' and t.name not like 'sqlite_%' order by t.name, c.cid`;

const SQLITE_INDEXES = `
  select x.name as "name", case x."unique" when 1 then 'unique ' else '' end || t.name || ' ('
      || (select group_concat(name, ', ') from (select name from pragma_index_info(x.name) order by seqno))
      || ')' || case x.partial when 1 then
        (select substr(sql, instr(sql, ' where ')) from sqlite_master where name = x.name) else '' end as "item"
  from sqlite_master t join pragma_index_list(t.name) x where t.type = 'table' order by x.name`;

export async function loadShape(opened: TestDatabase): Promise<Shape> {
  const isPostgres = opened.database.dialect.name === "postgres";
  const columns: Record<string, string[]> = {};
  for (const row of await opened.query(isPostgres ? POSTGRES_COLUMNS : SQLITE_COLUMNS)) {
    (columns[String(row["table"])] ??= []).push(String(row["item"]));
  }
  const indexes = await opened.query(isPostgres ? POSTGRES_INDEXES : SQLITE_INDEXES);
  return {
    columns,
    indexes: Object.fromEntries(indexes.map((row) => [String(row["name"]), String(row["item"])])),
  };
}
