/** Migrations of a database in trouble, and of ten processes at the same moment. */
import { once } from "node:events";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { createPostgresDatabase, temporaryDirectory } from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { sqliteDialect, DatabaseError } from "@escapement/db/client";
import { createPgDatabase } from "@escapement/db/pg";
import { assertMigrated, migrate } from "./migrate.ts";
import { isFirst } from "./testing-migrate.ts";

const toDatabaseThat = (batch: Database["batch"]): Database => ({
  dialect: sqliteDialect,
  batch,
  close: () => Promise.resolve(),
});

describe("a database in trouble", () => {
  test("one that cannot be reached is unavailable, not missing", async () => {
    const lost = new DatabaseError("DATABASE_UNAVAILABLE", "connection refused");
    const database = toDatabaseThat(() => Promise.reject(lost));
    for (const look of [migrate, assertMigrated]) {
      await expect(look(database)).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        retryable: true,
        cause: lost,
      });
    }
  });

  test("one that is overtaken again and again gives up instead of looking for ever", async () => {
    let looks = 0;
    const database = toDatabaseThat((statements) => {
      if (statements.length > 3) {
        return Promise.resolve({ kind: "conflict", reason: "guard", guard: null });
      }
      looks += 1;
      return Promise.resolve({ kind: "committed", rows: [[], [], []] });
    });
    await expect(migrate(database)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    expect(looks).toBe(5);
  });
});

describe("a migration of large tables, whose indexes take minutes", () => {
  test("is not ended by the server for taking longer than a batch may", async () => {
    const { url, drop } = await createPostgresDatabase();
    const owner = createPgDatabase({ connectionString: url, max: 1 });
    const slow = [
      "create function slow() returns event_trigger language plpgsql as 'begin perform pg_sleep(0.05); end'",
      "create event trigger slow on ddl_command_start when tag in ('CREATE INDEX') execute function slow()",
    ];
    await owner.batch(slow.map((statement) => ({ text: statement, values: [] })));
    const database = createPgDatabase({ connectionString: url, transactionTimeoutMs: 500 });
    expect(isFirst(await migrate(database))).toBe(true);
    const limits = `select current_setting('statement_timeout') as "limit"`;
    const after = await database.batch([{ text: limits, values: [] }]);
    expect(after).toMatchObject({ rows: [[{ limit: "500ms" }]] });
    await Promise.all([database.close(), owner.close()]);
    await drop();
  });
});

/** Text of a program that says it is ready, waits for a line, migrates, and prints the result. */
function toProgram(imports: string, database: string): string {
  return `
    ${imports}
    import { migrate } from ${JSON.stringify(new URL("./migrate.ts", import.meta.url).href)};
    const database = ${database};
    console.error("ready");
    await new Promise((resolve) => process.stdin.once("data", resolve));
    console.log(JSON.stringify(await migrate(database)));
    await database.close();
    process.exit(0);
  `;
}

/** Starts the program ten times, lets all go at the same moment, and returns what each printed. */
async function runTenAtOnce(program: string): Promise<readonly unknown[]> {
  const children = Array.from({ length: 10 }, () =>
    spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", program], {
      cwd: new URL(".", import.meta.url),
    }),
  );
  await Promise.all(children.map((child) => once(child.stderr, "data")));
  for (const child of children) child.stdin.end("go\n");
  const outputs = await Promise.all(children.map((child) => text(child.stdout)));
  return outputs.map((output): unknown => JSON.parse(output));
}

describe("ten processes that migrate at the same moment", () => {
  test("all succeed on Postgres", async () => {
    const created = await createPostgresDatabase();
    const url = JSON.stringify(created.url);
    const results = await runTenAtOnce(
      toProgram(
        `import { createPgDatabase } from "@escapement/db/pg";`,
        `createPgDatabase({ connectionString: ${url} })`,
      ),
    );
    expect(results).toHaveLength(10);
    expect(results.filter((result) => isFirst(result))).toHaveLength(1);
    await created.drop();
  }, 120_000);

  test("all succeed on one embedded libSQL file", async () => {
    const directory = temporaryDirectory();
    const path = JSON.stringify(join(directory.path, "data.db"));
    const results = await runTenAtOnce(
      toProgram(
        `import Libsql from "libsql";
         import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
         const connection = new Libsql(${path});
         applyRecommendedPragmas(connection);`,
        `createSqliteDatabase(connection)`,
      ),
    );
    expect(results).toHaveLength(10);
    expect(results.filter((result) => isFirst(result))).toHaveLength(1);
    directory.remove();
  }, 120_000);
});
