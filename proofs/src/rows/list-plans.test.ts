/** S0-139: lists are read from an index, whatever page and status: by the plan and by the rows that it reads, not by time. */
import type { Database } from "@escapement/db";
import type { Statement } from "@escapement/db/client";
import { createSqlStore } from "@escapement/engine/store/sql";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../subjects/open-database.ts";
import { EMBEDDED, POSTGRES, type SubjectKind } from "../subjects/test-database.ts";
import { INSTANCES, startApi } from "./http-client.ts";

const PAGE_SIZE = 10;
const STATUSES = ["queued", "paused", "terminated", "complete"] as const;
const INSTANCE_COUNT = 2000;
/** Instances created at one instant, as a batch does; a page may have to sort those of one instant by id. */
const BATCH_SIZE = 10;
const READ_MAX = PAGE_SIZE + 2 * BATCH_SIZE;

type Row = Readonly<Record<string, unknown>>;

async function query(
  database: Database,
  text: string,
  values: Statement["values"] = [],
): Promise<readonly Row[]> {
  // As the store's own batches are planned.
  const result = await database.batch([{ text, values }], { byKeys: true });
  if (result.kind !== "committed") throw new TypeError(`${result.kind}: ${text}`);
  return result.rows[0] ?? [];
}

/** Many instances of two workflows in each status, as a table is after a while; written behind the engine's back. */
async function fill(database: Database): Promise<void> {
  const isPostgres = database.dialect.name === "postgres";
  const series = isPostgres
    ? `select n from generate_series(1, ${INSTANCE_COUNT}) as n`
    : `with recursive s(n) as (select 1 union all select n + 1 from s where n < ${INSTANCE_COUNT}) select n from s`;
  const { dialect } = database;
  for (const workflowName of ["ORDER", "OTHER"]) {
    for (const [index, status] of STATUSES.entries()) {
      const at = dialect.fromMs(`(1750000000000 + (n / ${BATCH_SIZE}) * 1000 + ${index})`);
      const key = `'${workflowName}-${status}-' || n`;
      await query(
        database,
        `insert into "workflow_instance_workflows" ` +
          `("id", "instanceId", "workflowName", "status", "createdAt", "updatedAt", "pauseRequested", "runNumber") ` +
          `select ${key}, ${key}, '${workflowName}', '${status}', ${at}, ${at}, ${isPostgres ? "false" : "0"}, 1 from (${series}) as numbers`,
      );
    }
  }
  await query(database, "analyze");
}

/** What Postgres reads for a statement: each scan with the rows it took. */
interface PlanNode {
  readonly "Node Type": string;
  readonly "Actual Rows"?: number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

const flatten = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flatten)];

async function assertPostgresPlan(database: Database, { text, values }: Statement): Promise<void> {
  const [row] = await query(database, `explain (analyze, format json) ${text}`, values);
  const answer = row?.["QUERY PLAN"];
  const [{ Plan }] = (typeof answer === "string" ? JSON.parse(answer) : answer) as [
    { Plan: PlanNode },
  ];
  const nodes = flatten(Plan);
  expect(nodes.map((node) => node["Node Type"])).not.toContain("Seq Scan");
  expect(nodes.map((node) => node["Node Type"])).not.toContain("Sort");
  for (const node of nodes) {
    const read = (node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0);
    expect(read).toBeLessThanOrEqual(READ_MAX);
  }
}

async function assertSqlitePlan(database: Database, { text, values }: Statement): Promise<void> {
  const plan = await query(database, `explain query plan ${text}`, values);
  const details = plan.map(({ detail }) => String(detail));
  const onInstances = details.filter(
    (detail) =>
      /\b(SCAN|SEARCH)\b/.test(detail) &&
      !/CONSTANT ROW|json_each|subquery|^SCAN [hp]$/i.test(detail),
  );
  expect(onInstances.length).toBeGreaterThan(0);
  for (const detail of onInstances) expect(detail).toMatch(/^SEARCH .* USING (COVERING )?INDEX/);
  expect(
    // What comes after the scan of the page's own rows sorts no more than those.
    details
      .slice(0, details.indexOf("SCAN h"))
      .filter((detail) => /TEMP B-TREE(?! FOR (LAST TERM|RIGHT PART))/.test(detail)),
  ).toEqual([]);
}

describe.each<SubjectKind>([EMBEDDED, POSTGRES])("lists on $name", ({ open }) => {
  it("S0-139 every page, with and without a status, is an index search that reads a page's rows", async () => {
    const subject = await open();
    const database = await openDatabase(subject.url);
    try {
      await fill(database);
      const statements: Statement[] = [];
      const watched: Database = {
        ...database,
        batch: (batch, ...rest) => {
          statements.push(...batch);
          return database.batch(batch, ...rest);
        },
      };
      const api = startApi(createSqlStore({ database: watched }));
      const assertPlan =
        database.dialect.name === "postgres" ? assertPostgresPlan : assertSqlitePlan;
      for (const status of [null, ...STATUSES]) {
        const filter = `pageSize=${PAGE_SIZE}${status === null ? "" : `&status=${status}`}`;
        let cursor = "";
        for (let page = 0; page < 3; page += 1) {
          statements.length = 0;
          const { body } = await api.get(`${INSTANCES}?${filter}${cursor}`);
          const list = body as { instances: { id: string }[]; cursor: string };
          expect(list.instances).toHaveLength(PAGE_SIZE);
          const reads = statements.filter(({ text }) => /workflow_instance/.test(text));
          expect(reads.length).toBeGreaterThan(0);
          for (const statement of reads) await assertPlan(database, statement);
          cursor = `&cursor=${encodeURIComponent(list.cursor)}`;
        }
      }
    } finally {
      await database.close();
      await subject.remove();
    }
  });
});
