/** Pages of history and lists as callers get them: bounded in bytes, with large payloads on request. */
import { expect, test } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { createHarness } from "../testing/harness.ts";

const LARGE = "x".repeat(300_000);

async function createScene() {
  const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
    for (let count = 0; count < 8; count += 1) await step.do(`large ${count}`, () => LARGE);
    await step.do("small", () => ({ n: 1 }));
    return LARGE;
  });
  const harness = createHarness({ workflows: { W: workflow } });
  const { workflows, runUntilIdle, engine } = harness;
  await workflows.W.create({ id: "i" });
  await runUntilIdle();
  return { engine };
}

test("S5-012 history shows large results by their size, and all of them on request, page by page", async () => {
  const { engine } = await createScene();
  const { steps, hasNextPage } = await engine.listHistory("w", "i", {});
  expect(hasNextPage).toBe(false);
  expect(steps.find(({ name }) => name === "small")).toMatchObject({ result: { n: 1 } });
  const large = steps.filter(({ omittedBytes }) => omittedBytes !== undefined);
  expect(large).toHaveLength(8);
  expect(large[0]).toMatchObject({ omittedBytes: 300_002 });
  const names: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await engine.listHistory("w", "i", {
      payloads: "full",
      ...(cursor === undefined ? {} : { cursor }),
    });
    expect(page.steps.every(({ result }) => result !== undefined)).toBe(true);
    names.push(...page.steps.map(({ name }) => name));
    cursor = page.cursor;
    pages += 1;
  } while (cursor !== undefined);
  expect(new Set(names).size).toBe(9);
  expect(names).toHaveLength(9);
  expect(pages).toBeGreaterThan(4);
});

test("S5-012 a list shows a large output by its size; the instance itself has it", async () => {
  const { engine } = await createScene();
  const { instances } = await engine.listInstances("w", {});
  expect(instances).toMatchObject([{ id: "i", details: { omittedBytes: 300_002 } }]);
  expect(instances[0]?.details).not.toHaveProperty("output");
  expect((await engine.getInstance("w", "i")).details).toMatchObject({ output: LARGE });
  expect((await engine.listInstances("w", { payloads: "full" })).instances).toMatchObject([
    { details: { output: LARGE } },
  ]);
  await expect(engine.listInstances("w", { payloads: "some" as never })).rejects.toMatchObject({
    code: "INVALID_REQUEST",
  });
});

test("S8-008 a page of a history has up to 1000 steps, and no more bytes than any page", async () => {
  const workflow = defineWorkflow({ name: "long" }, async (_event, step) => {
    for (let count = 0; count < 1200; count += 1) await step.do(`part ${count}`, () => count);
  });
  const { workflows, runUntilIdle, engine } = createHarness({ workflows: { LONG: workflow } });
  await workflows.LONG.create({ id: "i" });
  await runUntilIdle();
  const sizes: number[] = [];
  let cursor: string | undefined;
  do {
    const asked = { pageSize: 1000, ...(cursor === undefined ? {} : { cursor }) };
    const page = await engine.listHistory("long", "i", asked);
    sizes.push(page.steps.length);
    cursor = page.cursor;
  } while (cursor !== undefined);
  expect(sizes).toHaveLength(2);
  expect(sizes[0]).toBeGreaterThan(800);
  await expect(engine.listHistory("long", "i", { pageSize: 1001 })).rejects.toMatchObject({
    code: "INVALID_REQUEST",
  });
});
