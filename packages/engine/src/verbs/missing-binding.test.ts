/** Unknown workflows as keys of `engine.workflows`. */
import { describe, expect, test } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { createHarness } from "../testing/harness.ts";

interface Untyped {
  readonly [verb: string]: (...given: readonly unknown[]) => Promise<unknown>;
}

const ORDER = defineWorkflow({ name: "order" }, async () => "done");
const IMPORT = defineWorkflow({ name: "import" }, async (_event, step, context) => {
  const untyped = context.workflows as unknown as Readonly<Record<string, Untyped>>;
  return step.do("start", async () => untyped["ordr"]?.["create"]?.({}));
});

const open = () => createHarness({ workflows: { ORDER, IMPORT } });
const untyped = (workflows: object): Readonly<Record<string, Untyped>> =>
  workflows as Readonly<Record<string, Untyped>>;

describe("a key of engine.workflows that it does not have", () => {
  test.each(["create", "execute", "createBatch", "restartOrCreate", "get"])(
    "%s is refused by a code, and told which there are",
    async (verb) => {
      const { workflows } = open();
      for (const key of ["ordr", "order", "__proto", "0"]) {
        const call = untyped(workflows)[key]?.[verb]?.({ id: "x" });
        await expect(call).rejects.toMatchObject({
          code: "WORKFLOW_NOT_FOUND",
          message: `engine.workflows has no "${key}", but ORDER, IMPORT`,
          details: { workflowName: key, registered: ["ORDER", "IMPORT"] },
        });
      }
    },
  );

  test("fails a run by the same code, and not again and again", async () => {
    const harness = open();
    await harness.workflows.IMPORT.create({ id: "x" });
    await harness.runUntilIdle();
    const { status, error } = await harness.status("import", "x");
    expect([status, error?.code]).toEqual(["errored", "WORKFLOW_NOT_FOUND"]);
  });

  test("is none for whoever looks at the object", async () => {
    const { workflows } = open();
    expect(Object.keys(workflows)).toEqual(["ORDER", "IMPORT"]);
    expect("ordr" in workflows).toBe(false);
    expect(await (workflows as unknown as Promise<unknown>)).toBe(workflows);
    expect(JSON.stringify(workflows)).toBe('{"ORDER":{},"IMPORT":{}}');
    const seen: string[] = [];
    for (const key in workflows) seen.push(key);
    expect(seen).toEqual(["ORDER", "IMPORT"]);
    const copy = { ...workflows };
    expect(untyped(copy)["ordr"]).toBeUndefined();
    expect(workflows).toEqual(copy);
  });
});
