/** The workflows and topics that a database knows: those with data in it. Without code, there is no other way to know. */
import type { Database } from "@escapement/db";
import { batchWithRetry } from "@escapement/db/client";
import { RefusedError } from "../errors.ts";

/** Names, in the database's order. */
export interface KnownNames {
  readonly workflows: readonly string[];
  readonly topics: readonly string[];
  /** Whether there has been a bulk job. */
  readonly hasBulk: boolean;
  /** Names under which imports stage their records: imports that are under way, and imports that died. */
  readonly staged: readonly string[];
}

/** The engine's own workflow of bulk jobs. */
export const BULK = "escapement-bulk";
const isStaged = (name: string): boolean => name.startsWith("!import ");

/** The most names of one kind. */
const MOST = 1000;

/** One index lookup per name, however many instances there are. */
const WORKFLOWS =
  `with recursive known("name", "count") as (` +
  `select min("workflowName"), 1 from "workflow_instance_workflows" union all ` +
  `select (select min(i."workflowName") from "workflow_instance_workflows" i where i."workflowName" > known."name"), "count" + 1 ` +
  `from known where known."name" is not null and "count" < ${MOST}) ` +
  `select "name" from known where "name" is not null`;

const TOPICS = `select "name" from "workflow_topic_workflows" order by "name" limit ${MOST}`;

/** One trip. @throws {DatabaseError}; {RefusedError} STORE_UNAVAILABLE */
export async function readKnownNames(database: Database): Promise<KnownNames> {
  const result = await batchWithRetry(
    database,
    [WORKFLOWS, TOPICS].map((text) => ({ text, values: [] })),
  );
  if (result.kind !== "committed")
    throw new RefusedError("STORE_UNAVAILABLE", `the database is busy: ${result.kind}`);
  const [names = [], topics = []] = result.rows.map((rows) => rows.map(({ name }) => String(name)));
  return {
    workflows: names.filter((name) => name !== BULK && !isStaged(name)),
    topics,
    hasBulk: names.includes(BULK),
    staged: names.filter(isStaged),
  };
}
