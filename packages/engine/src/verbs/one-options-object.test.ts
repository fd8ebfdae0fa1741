/** One options object that a loop fills again for each create. */
import { expect, test } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { createHarness } from "../testing/harness.ts";

const anyJson = {
  "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) },
} as const;

test.each([
  ["without a schema", {}],
  ["with a schema", { schema: anyJson }],
])("a create takes its options as they are when it is called, %s", async (_what, more) => {
  const WORK = defineWorkflow({ name: "work", ...more }, async ({ payload }) => payload);
  const { workflows, runUntilIdle } = createHarness({ workflows: { WORK } });
  const options = { id: "", params: {} };
  const creating: Promise<{ readonly id: string }>[] = [];
  for (const n of [1, 2, 3]) {
    options.id = `i${n}`;
    options.params = { n };
    creating.push(workflows.WORK.create(options));
  }
  expect((await Promise.all(creating)).map(({ id }) => id)).toEqual(["i1", "i2", "i3"]);
  await runUntilIdle();
  const second = await workflows.WORK.get("i2");
  expect(await second.status()).toMatchObject({ output: { n: 2 } });
});
