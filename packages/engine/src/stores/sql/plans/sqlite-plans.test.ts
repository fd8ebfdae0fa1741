/**
 * No statement's plan on SQLite depends on what `ANALYZE` or `PRAGMA optimize` found: each has the same plan as without statistics, and
 * none walks through one of our tables, neither with all indexes nor with the lean set.
 */
import { temporaryDirectory } from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { createSqliteDatabase } from "@escapement/db/sqlite";
import Libsql from "libsql";
import { describe, expect, test } from "vitest";
import { createSqlStore, migrate } from "../index.ts";
import type { MigrateResult } from "../migrate.ts";
import { finishedRuns, progressRows, queuedRuns, topicRows } from "../../../testing/plans/rows.ts";
import { listenOnce, useEveryVerb } from "../../../testing/plans/verbs.ts";
import { allTexts } from "../../../testing/plans/texts.ts";

interface PlanRow {
  readonly detail: string;
}

type Fill = (run: (text: string) => void, dialect: Database["dialect"]) => void;

/** The plan lines of every statement by text, as the store uses it on a database that was filled in this way. */
async function plansAfter(
  fill: Fill,
  indexes: MigrateResult["indexes"],
): Promise<ReadonlyMap<string, string>> {
  const directory = temporaryDirectory();
  const file = `${directory.path}/plans.db`;
  const connection = new Libsql(file);
  // Nothing here outlives the test, so there is no need to wait for the disk.
  connection.exec("pragma synchronous = off");
  const target = createSqliteDatabase(connection);
  await migrate(target, { indexes });
  fill((text) => void connection.exec(text), target.dialect);
  // A connection reads the statistics when it is opened.
  const planner = new Libsql(file);
  const plans = new Map<string, string>();
  const database: Database = {
    dialect: target.dialect,
    close: () => target.close(),
    listen: listenOnce,
    batch(statements, options) {
      for (const { text } of statements) plans.set(text, planOf(planner, text));
      return target.batch(statements, options);
    },
  };
  await useEveryVerb(createSqlStore({ database }), target.dialect, "Own");
  expect([...allTexts(target.dialect)].filter((text) => !plans.has(text))).toEqual([]);
  planner.close();
  connection.close();
  directory.remove();
  return plans;
}

function planOf(planner: InstanceType<typeof Libsql>, text: string): string {
  const positions = [...text.matchAll(/\?(\d+)/gu)].map(([, position]) => Number(position));
  const nulls = Array.from({ length: Math.max(0, ...positions) }, () => null);
  const rows = planner.prepare(`explain query plan ${text}`).all(nulls) as PlanRow[];
  return rows.map(({ detail }) => detail).join("\n");
}

/** The aliases that a statement gives to our tables. */
const aliasesOf = (text: string): readonly string[] =>
  [...text.matchAll(/"(workflow_\w+)"(?: as (\w+))?/gu)].map(
    ([, table = "", alias]) => alias ?? table,
  );

/**
 * Searches by what has few rows: a whole key, a lease, a run, the children of one, a topic, or a range of the queue, of suspects or of a list.
 * The children of one may also be a range from its id to its id (`isChild`).
 */
const BOUNDED =
  /PRIMARY KEY|\(id=\?|lockOwner[=>]\?|instanceId=\?|parentInstanceId=\?( AND parentRunNumber=\?)?\)|parentInstanceId>\? AND parentInstanceId<\?\)|eventId=\?|\(name=\?|\(topic=\?|USING (COVERING )?INDEX idx_(queue|lease|suspect|createdAt|status_createdAt)_\w+ \(workflowName=\?|INDEX idx_children_createdAt_\w+ \(parentWorkflowName=\? AND parentInstanceId=\? AND createdAt/u;

/** Staged records have a unique name: all rows with that name belong to the import. */
const OF_STAGED = /\(workflowName=\?\)/u;

const isBounded = (text: string, line: string): boolean =>
  BOUNDED.test(line) || (text.includes(`"staged"`) && OF_STAGED.test(line));

/** Lines of a plan that read more than a few rows of one of our tables. */
const unboundedLines = (text: string, plan: string): readonly string[] =>
  plan
    .split("\n")
    .filter((line) =>
      aliasesOf(text).some((alias) => new RegExp(`^(SCAN|SEARCH) ${alias}\\b`, "u").test(line)),
    )
    .filter((line) => !line.includes("VIRTUAL TABLE"))
    .filter(
      (line) => line.startsWith("SCAN") || line.includes("AUTOMATIC") || !isBounded(text, line),
    );

const shapes: Readonly<Record<string, Fill>> = Object.fromEntries([
  ["never analysed", (): void => undefined],
  ...[1, 2, 3, 10, 100, 1000].map((count): [string, Fill] => [
    `analysed at ${count} rows of each table`,
    (run, dialect) => {
      finishedRuns(dialect, { workflowName: "Own", count }).forEach(run);
      queuedRuns(dialect, { workflowName: "Own", count, isDue: false }).forEach(run);
      run("analyze");
    },
  ]),
  ...(["Aardvark", "Zebra"] as const).map((many): [string, Fill] => [
    `analysed with few beside many of ${many}`,
    (run, dialect) => {
      finishedRuns(dialect, { workflowName: many, count: 3000 }).forEach(run);
      queuedRuns(dialect, { workflowName: many, count: 1000, isDue: false }).forEach(run);
      topicRows(dialect, { workflowName: many, count: 1000 }).forEach(run);
      progressRows(dialect, { workflowName: many, count: 1000 }).forEach(run);
      queuedRuns(dialect, { workflowName: "Own", count: 3, isDue: false }).forEach(run);
      run("analyze");
    },
  ]),
  [
    "analysed while every task had a workflow of its own",
    (run, dialect): void => {
      for (let n = 0; n < 50; n += 1) {
        queuedRuns(dialect, { workflowName: `Single${n}`, count: 1, isDue: false }).forEach(run);
      }
      run("analyze");
    },
  ],
  [
    "optimised while small",
    (run, dialect): void => {
      queuedRuns(dialect, { workflowName: "Own", count: 10, isDue: false }).forEach(run);
      run("pragma optimize = 0x10002");
    },
  ],
]);

describe.each([
  ["full", "idx_status_createdAt_workflow_instance_workflows"],
  ["lean", "idx_createdAt_workflow_instance_workflows"],
] as const)("the %s set of indexes", (indexes, indexOfStatusLists) => {
  test.each(Object.entries(shapes))("%s: every statement searches by a key", async (_, fill) => {
    const plans = [...(await plansAfter(fill, indexes))];
    const turned = plans.flatMap(([text, plan]) => {
      const unbounded = unboundedLines(text, plan);
      return unbounded.length === 0 ? [] : [{ unbounded, text, plan }];
    });
    expect(turned).toEqual([]);
    const lists = plans.filter(([text]) => text.includes(`r."status" =`));
    expect(lists).not.toEqual([]);
    for (const [, plan] of lists)
      expect(plan.replace("COVERING ", "")).toContain(`SEARCH r USING INDEX ${indexOfStatusLists}`);
    const ofParents = plans.filter(([text]) =>
      text.includes(`where r."parentWorkflowName" = b."parentName"`),
    );
    expect(ofParents).not.toEqual([]);
    for (const [, plan] of ofParents)
      expect(plan).toContain("SEARCH r USING INDEX idx_children_createdAt_");
  });
});
