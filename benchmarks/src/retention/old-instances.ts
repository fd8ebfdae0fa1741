/** Instances that ended a year ago, as years of use would leave them: in bulk, and counted. */
import type { Database } from "@escapement/db";

const INSTANCE = `"workflow_instance_workflows"`;
const STEP = `"workflow_step_workflows"`;

/** How many are inserted by one statement. */
const CHUNK = 50_000;
const YEAR_MS = 31_536_000_000;

/** Inserts `count` instances of the workflow `three`, each with its three steps. @param from number of the first */
export async function insertOld(database: Database, count: number, from = 0): Promise<void> {
  for (let done = 0; done < count; done += CHUNK)
    await run(database, ...oldRows(database, from + done + 1, Math.min(CHUNK, count - done)));
}

function oldRows({ dialect }: Database, first: number, count: number): readonly string[] {
  const last = first + count - 1;
  const numbers =
    dialect.name === "postgres"
      ? `generate_series(${first}, ${last}) as g(n)`
      : `(with recursive g(n) as (select ${first} union all select n + 1 from g where n < ${last}) select n from g) as g`;
  const at = dialect.plusMs(dialect.now, `n - ${YEAR_MS}`);
  return [
    `insert into ${INSTANCE} ("id", "workflowName", "instanceId", "runNumber", "status", "pauseRequested", "createdAt", ` +
      `"updatedAt", "completedAt") select 'old-' || n, 'three', 'old-' || n, 1, 'complete', false, ${at}, ${at}, ${at} from ${numbers}`,
    ...["a", "b", "c"].map(
      (key, index) =>
        `insert into ${STEP} ("id", "workflowName", "instanceId", "runNumber", "stepKey", "name", "type", "status", ` +
        `"attempts", "lostAttempts", "maxAttempts", "settledOrder", "createdAt", "updatedAt") ` +
        `select 'old-${key}' || n, 'three', 'old-' || n, 1, '${key}', '${key}', 'do', 'completed', 1, 0, 6, ${index + 1}, ${at}, ${at} from ${numbers}`,
    ),
  ];
}

/** What has ended, ended a year ago. */
export const age = (database: Database): Promise<void> => {
  const { dialect } = database;
  const at = dialect.plusMs(dialect.now, String(-YEAR_MS));
  return run(
    database,
    `update ${INSTANCE} set "createdAt" = ${at}, "completedAt" = ${at} where "status" = 'complete' and "instanceId" not like 'old-%'`,
  );
};

export async function countInstances(database: Database): Promise<number> {
  const text = `select count(*) as "count" from ${INSTANCE}`;
  const result = await database.batch([{ text, values: [] }]);
  if (result.kind !== "committed") throw new TypeError(result.kind);
  return Number(result.rows[0]?.[0]?.["count"]);
}

/** Statistics as they are on a database that is in use. */
export const analyze = (database: Database): Promise<void> => run(database, "analyze");

async function run(database: Database, ...texts: readonly string[]): Promise<void> {
  const result = await database.batch(texts.map((text) => ({ text, values: [] })));
  if (result.kind !== "committed") throw new TypeError(`not committed: ${result.kind}`);
}
