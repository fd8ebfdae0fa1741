/** Explains every statement of every batch on Postgres, with the rows and pages that it really reads, before the batch is applied. */
import type { Database } from "@escapement/db";
import type { SqlValue, Statement } from "@escapement/db/client";
import { createPgDatabase } from "@escapement/db/pg";
import pg from "pg";

/** What one statement read from our tables. */
export interface PlanReading {
  readonly text: string;
  /** Rows that scans of our tables returned or discarded. */
  readonly rowsRead: number;
  /** Pages that the whole statement touched. A useless walk along an index shows only here. */
  readonly pagesRead: number;
  /** Tables that were read completely. */
  readonly wholeScans: readonly string[];
  readonly plan: unknown;
}

export interface Explainer {
  /** Applies batches to the database after explaining them. */
  readonly database: Database;
  readonly readings: PlanReading[];
  /** Makes the server plan these texts now; generic plans last as long as the explainer. */
  prepare(texts: Iterable<string>): Promise<void>;
  close(): Promise<void>;
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Opens an explainer. Its statements are planned with the settings of the store's batches. */
export async function createExplainer(
  url: string,
  planCacheMode: "force_custom_plan" | "force_generic_plan",
): Promise<Explainer> {
  const target = createPgDatabase({ connectionString: url, max: 1 });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await adoptSettings(client, target);
  await client.query(`set plan_cache_mode = ${planCacheMode}`);
  const names = new Map<string, string>();
  const readings: PlanReading[] = [];
  const nameOf = async (text: string): Promise<string> => {
    const known = names.get(text);
    if (known !== undefined) return known;
    const name = `p${names.size}`;
    await client.query(`prepare ${name} as ${text}`);
    names.set(text, name);
    return name;
  };
  const explain = async ({ text, values }: Statement): Promise<void> => {
    const name = await nameOf(text);
    const given = values.length === 0 ? "" : `(${values.map(toLiteral).join(", ")})`;
    const { rows } = await client.query<{ "QUERY PLAN": readonly [{ Plan: PlanNode }] }>(
      `explain (analyze, timing off, buffers, format json) execute ${name}${given}`,
    );
    const [explained] = rows[0]?.["QUERY PLAN"] ?? [];
    if (explained !== undefined) readings.push(toReading(text, explained.Plan));
  };
  return {
    readings,
    database: {
      dialect: target.dialect,
      async batch(statements, options) {
        await client.query("begin");
        for (const statement of statements) await explain(statement);
        await client.query("rollback");
        return target.batch(statements, options);
      },
      close: async () => undefined,
    },
    async prepare(texts) {
      for (const text of texts) {
        const name = await nameOf(text);
        const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/gu)].map(([, n]) => Number(n)));
        const nulls =
          count === 0 ? "" : `(${Array.from({ length: count }, () => "null").join(", ")})`;
        await client.query(`explain execute ${name}${nulls}`);
      }
    },
    async close() {
      await client.end();
      await target.close();
    },
  };
}

/** Gives a plain connection the settings of the store's batches. */
async function adoptSettings(client: pg.Client, database: Database): Promise<void> {
  const text = `select name, setting from pg_settings where source = 'session' and name like 'enable%'`;
  const result = await database.batch([{ text, values: [] }], { byKeys: true });
  const rows = result.kind === "committed" ? (result.rows[0] ?? []) : [];
  for (const { name, setting } of rows) {
    await client.query(`select set_config($1, $2, false)`, [name, setting]);
  }
}

const toLiteral = (value: SqlValue): string =>
  typeof value === "string" ? pg.escapeLiteral(value) : String(value);

function toReading(
  text: string,
  plan: PlanNode & {
    readonly "Shared Hit Blocks"?: number;
    readonly "Shared Read Blocks"?: number;
  },
): PlanReading {
  const scans = flatten(plan).filter((node) => node["Relation Name"]?.startsWith("workflow_"));
  const rowsOf = (node: PlanNode): number =>
    (node["Actual Rows"] +
      (node["Rows Removed by Filter"] ?? 0) +
      (node["Rows Removed by Index Recheck"] ?? 0)) *
    node["Actual Loops"];
  return {
    text,
    rowsRead: scans.reduce((sum, node) => sum + rowsOf(node), 0),
    pagesRead: (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0),
    wholeScans: scans
      .filter((node) => node["Node Type"] === "Seq Scan")
      .map((node) => node["Relation Name"] ?? ""),
    plan,
  };
}

const flatten = (node: PlanNode): readonly PlanNode[] => [
  node,
  ...(node.Plans ?? []).flatMap(flatten),
];
