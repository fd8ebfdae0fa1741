/** An engine with instances of every kind, some with texts that try to be more than text. */
import { defineWorkflow, type Engine, NonRetryableError, WorkflowError } from "@escapement/engine";
import { createHarness } from "@escapement/engine/testing";

/** A text that would have an effect if it were treated as HTML. */
export const HOSTILE = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;

const ORDER = defineWorkflow(
  { name: "order", retries: { limit: 3, delay: "2 seconds", backoff: "constant" } },
  async (_event, step) => {
    await step.do("reserve stock", () => ({ reserved: 3 }));
    await step.do("charge card", ({ attempt }) => {
      if (attempt < 3) throw new TypeError("the card reader is busy");
      return { receipt: "secret-receipt" };
    });
    await step.join("prepare", {
      pack: async (own) => {
        await own.do("find box", () => "box 4");
        await own.sleep("let glue dry", "4 seconds");
      },
      label: async (own) => own.do("print label", () => HOSTILE),
    });
    await step.sleep("settle", "10 seconds");
    const approval = await step.waitForEvent<{ by: string }>("approval", { type: "approval" });
    return { approvedBy: approval.payload.by };
  },
);

const IMPORT = defineWorkflow({ name: "import" }, async (_event, step) => {
  await step.do("read file", () => {
    throw new NonRetryableError(`the file is broken: ${HOSTILE}`);
  });
});

const LONG = defineWorkflow({ name: "long" }, async ({ payload }, step) => {
  const { count } = payload as { readonly count: number };
  for (let index = 0; index < count; index += 1) await step.do("part", () => index);
});

/** An order that waits, one that is complete, imports that failed, and one that starts later. */
export async function openScene(longSteps = 0): Promise<Engine> {
  const harness = createHarness({
    workflows: { ORDER, IMPORT, LONG },
    bulk: true,
    limits: { maxStepsPerRun: 20_000 },
  });
  const { workflows } = harness;
  await workflows.ORDER.create({
    id: "order-waits",
    tags: ["shop", "eu"],
    params: { sku: "secret-sku" },
  });
  await workflows.ORDER.create({ id: "order-done" });
  await workflows.IMPORT.create({ id: "import-1" });
  await workflows.IMPORT.create({ id: `import ${HOSTILE}`.slice(0, 60), tags: ["nightly"] }).catch(
    (error: unknown) => {
      if (!WorkflowError.is(error)) throw error;
    },
  );
  if (longSteps > 0) await workflows.LONG.create({ id: "long-1", params: { count: longSteps } });
  await harness.runThroughTime(60_000);
  await harness.sendEvent("order", "order-done", {
    type: "approval",
    payload: { by: "secret-name" },
  });
  await harness.runUntilIdle();
  await workflows.ORDER.create({ id: "order-later", delay: "1 hour" });
  return harness.engine;
}
