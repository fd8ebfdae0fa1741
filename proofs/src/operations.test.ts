/** The SQL that docs/guides/operations.md gives to operators, run as it stands. */
import { readFileSync } from "node:fs";
import { createEngine, defineWorkflow } from "@escapement/engine";
import type { Row } from "@escapement/db";
import { describe, expect, it } from "vitest";
import { overSql, type RealStore } from "./rows/real-stores.ts";
import { EMBEDDED, POSTGRES, SQLD } from "./subjects/test-database.ts";

const PAGE = readFileSync(new URL("../../docs/guides/operations.md", import.meta.url), "utf8");
const [OLDEST_DUE = "", LEFT_BEHIND = "", DELETE_POSTGRES = "", DELETE_SQLITE = ""] = [
  ...PAGE.matchAll(/```sql\n([\s\S]*?)```/gu),
].map(([, text]) => text ?? "");

const TABLES = ["instance", "step", "event", "task"];

/** The statements of a block in one transaction. */
async function run({ database }: RealStore, block: string): Promise<readonly Row[]> {
  const texts = block
    .split(";")
    .map((text) => text.trim())
    .filter((text) => text !== "" && text !== "begin immediate" && text !== "commit");
  const result = await database?.batch(texts.map((text) => ({ text, values: [] })));
  if (result?.kind !== "committed") throw new Error(`the batch is ${result?.kind}`);
  return result.rows.at(-1) ?? [];
}

const count = async (real: RealStore, table: string): Promise<number> =>
  Number((await run(real, `select count(*) as n from workflow_${table}_workflows`))[0]?.["n"]);

/** Two instances that have ended, one of them long ago, and one that sleeps. */
async function createScene(real: RealStore, longAgo: string) {
  const WORK = defineWorkflow({ name: "work" }, async (event, step) => {
    await step.waitForEvent("go", { type: "go" });
    if (event.instanceId === "asleep") await step.sleep("long", "1 year");
  });
  const engine = createEngine({ workflows: { WORK }, store: real.store });
  for (const id of ["ended-long-ago", "ended", "asleep"]) {
    const instance = await engine.workflows.WORK.create({ id });
    await instance.sendEvent({ type: "go" });
  }
  await engine.tick();
  await run(
    real,
    `update workflow_instance_workflows set "updatedAt" = ${longAgo} where "instanceId" <> 'ended'`,
  );
  return engine;
}

const LONG_AGO_SQLITE = `(unixepoch() - 91 * 86400) * 1000`;

describe.each([
  [overSql(POSTGRES), DELETE_POSTGRES, `now() at time zone 'utc' - interval '91 days'`],
  [overSql(EMBEDDED), DELETE_SQLITE, LONG_AGO_SQLITE],
  ...(SQLD.isAvailable ? [[overSql(SQLD), DELETE_SQLITE, LONG_AGO_SQLITE] as const] : []),
] as const)("over $name", ({ open }, deletion, longAgo) => {
  it("S4-025 what ended long ago is deleted with all its rows, and nothing else is; its id is free again", async () => {
    const real = await open();
    const engine = await createScene(real, longAgo);
    const before = await Promise.all(TABLES.map((table) => count(real, table)));
    await run(real, deletion);
    const after = await Promise.all(TABLES.map((table) => count(real, table)));
    expect(before.map((rows, index) => rows - (after[index] ?? 0))).toEqual([1, 1, 1, 0]);
    await expect(engine.getInstance("work", "ended-long-ago")).rejects.toMatchObject({
      code: "INSTANCE_NOT_FOUND",
    });
    expect((await engine.getInstance("work", "ended")).details).toMatchObject({
      status: "complete",
    });
    expect((await engine.getInstance("work", "asleep")).details).toMatchObject({
      status: "waiting",
    });
    await engine.workflows.WORK.create({ id: "ended-long-ago" });
    await real.close();
  });
});

it("due runs that nobody takes, and runs whose process died, are seen", async () => {
  const real = await overSql(POSTGRES).open();
  const WORK = defineWorkflow({ name: "work" }, () => Promise.resolve());
  const engine = createEngine({ workflows: { WORK }, store: real.store });
  await engine.workflows.WORK.create({ id: "due" });
  expect(await run(real, OLDEST_DUE)).toMatchObject([{ workflowName: "work" }]);
  expect(await run(real, LEFT_BEHIND)).toEqual([]);
  await run(
    real,
    `update workflow_task_workflows set status = 'processing', "lockedUntil" = "createdAt" where "instanceId" = 'due'`,
  );
  expect(await run(real, LEFT_BEHIND)).toMatchObject([{ instanceId: "due" }]);
  await real.close();
});
