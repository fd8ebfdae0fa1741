/** Doctor reads no more of a large database than its bound. */
import {
  createPostgresDatabase,
  postgresAvailable,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { createPgDatabase } from "@escapement/db/pg";
import { createSqliteDatabase } from "@escapement/db/sqlite";
import { migrate } from "@escapement/engine/store/sql";
import Libsql from "libsql";
import { expect, test } from "vitest";
import { checkTables } from "./database-checks.ts";

const MANY = 30_000;
/** Ten thousand rows of a table, each with what belongs to it. */
const MOST_ROWS = 40_000;

/** Tasks that are queued, and as many that are processed. */
const FILL = (now: string, series: string): readonly string[] => [
  `insert into "workflow_task_workflows" ("id", "workflowName", "instanceId", "runNumber", "kind", "priority", "runAt", "status", ` +
    `"attempts", "maxAttempts", "lockedUntil", "createdAt", "updatedAt") select 't' || n, 'order', 'o' || n, 1, 'wake', 0, ${now}, ` +
    `case n % 2 when 0 then 'pending' else 'processing' end, 0, 1, ${now}, ${now}, ${now} from ${series}`,
  `insert into "workflow_instance_workflows" ("id", "workflowName", "instanceId", "runNumber", "status", "pauseRequested", ` +
    `"createdAt", "updatedAt") select 'i' || n, 'order', 'o' || n, 1, 'queued', false, ${now}, ${now} from ${series}`,
];

interface PlanNode {
  readonly "Relation Name"?: string;
  readonly "Node Type": string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

const flatten = (node: PlanNode): readonly PlanNode[] => [
  node,
  ...(node.Plans ?? []).flatMap(flatten),
];

test.skipIf(!postgresAvailable(18))(
  "S8-012 on Postgres no look reads a whole table or more rows than its bound, analysed or not",
  async () => {
    const server = await createPostgresDatabase();
    const database = createPgDatabase({ connectionString: server.url, max: 1 });
    const run = async (text: string) => {
      const result = await database.batch([{ text, values: [] }], { byKeys: true });
      return result.kind === "committed" ? (result.rows[0] ?? []) : [];
    };
    await migrate(database);
    for (const text of FILL("now()", `generate_series(1, ${MANY}) as g(n)`)) await run(text);
    const explained: Database = {
      ...database,
      async batch(statements, options) {
        for (const { text } of statements) {
          const [row] = await run(`explain (analyze, format json) ${text}`);
          const [{ Plan }] = JSON.parse(String(row?.["QUERY PLAN"])) as [
            { readonly Plan: PlanNode },
          ];
          const scans = flatten(Plan).filter((node) => node["Relation Name"] !== undefined);
          const rows = scans.map(
            (node) =>
              (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"],
          );
          expect(
            scans.map((node) => node["Node Type"]),
            text,
          ).not.toContain("Seq Scan");
          expect(
            rows.reduce((sum, count) => sum + count, 0),
            text,
          ).toBeLessThan(MOST_ROWS);
        }
        return database.batch(statements, options);
      },
    };
    for (const text of ["select 1", "analyze"]) {
      await run(text);
      const checks = await checkTables(explained, { lateMs: 60_000 });
      expect(checks.map(({ check }) => check)).toEqual(["ticks", "leases", "strays"]);
    }
    await database.close();
    await server.drop();
  },
  60_000,
);

test("S8-012 on SQLite each look goes by an index that gives its order", async () => {
  const directory = temporaryDirectory();
  const connection = new Libsql(`${directory.path}/data.db`);
  const database = createSqliteDatabase(connection);
  await migrate(database);
  const explained: Database = {
    ...database,
    dialect: database.dialect,
    close: () => database.close(),
    batch(statements, options) {
      for (const { text } of statements) {
        const lines = connection.prepare(`explain query plan ${text}`).all() as {
          detail: string;
        }[];
        const details = lines.map(({ detail }) => detail);
        const isWhole = (line: string): boolean =>
          line.startsWith("SCAN workflow_") && !line.includes("INDEX");
        expect(
          details.filter((line) => isWhole(line) || line.includes("TEMP B-TREE")),
          text,
        ).toEqual([]);
      }
      return database.batch(statements, options);
    },
  };
  await checkTables(explained, { lateMs: 60_000 });
  await database.close();
  directory.remove();
});
