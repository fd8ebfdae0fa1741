/** Commands of services on Fragno's own adapters: the engine's own statements, in the caller's transaction. */
import { expect, test } from "vitest";
import { migrate } from "@fragno-dev/db";
import { defineWorkflow } from "./authoring.ts";
import { createWorkflowsFragment } from "./create-fragment.ts";
import { createDurableHooksProcessor } from "./processor.ts";
import { defaultFragnoRuntime } from "./runtime.ts";
import { STOCK_KINDS } from "./testing-stock.ts";

test.each(STOCK_KINDS)(
  "an end is told on $name, and a transaction sends the engine's own statements, or none of them",
  async ({ open }) => {
    const stock = await open();
    const ended: unknown[] = [];
    const fragment = createWorkflowsFragment(
      {
        workflows: {
          DONE: defineWorkflow({ name: "done" }, ({ payload }) => payload),
          WAIT: defineWorkflow({ name: "wait" }, (_event, step) =>
            step.waitForEvent("go", { type: "go" }),
          ),
        },
        runtime: defaultFragnoRuntime,
        logger: { log: () => undefined },
        onWorkflowTerminal: ({ instanceId, params, output }) =>
          void ended.push({ instanceId, params, output }),
      },
      { databaseAdapter: stock.adapter },
    );
    await migrate(fragment);
    const made = await fragment.workflows.DONE.create({ id: "a", params: ["p", 1] });
    await createDurableHooksProcessor([fragment]).process();
    expect(ended).toEqual([{ instanceId: "a", params: ["p", 1], output: ["p", 1] }]);
    await expect(made.rewind("nothing")).rejects.toMatchObject({ code: "STEP_NOT_FOUND" });
    const { services } = fragment;
    const call = (...make: readonly (() => unknown)[]): Promise<unknown> =>
      fragment.inContext(async function () {
        return this.handlerTx()
          .withServiceCalls(() => make.map((one) => one()) as never)
          .execute();
      });
    await expect(call(() => services.rewind("done", "a", "nothing"))).rejects.toMatchObject({
      code: "STEP_NOT_FOUND",
    });
    await call(() => services.createInstance("wait", { id: "w" }));
    // Of two that read the same row, the second one to write reads again.
    await Promise.all([
      call(() => services.update("wait", "w", { tags: ["a"] })),
      call(() => services.update("wait", "w", { memo: { order: true } })),
    ]);
    const both = { tags: ["a"], memo: { order: true } };
    expect(await fragment.workflows.WAIT.get("w").then((w) => w.status())).toMatchObject(both);
    const refused = call(
      () => services.update("wait", "w", { memo: "gone" }),
      () => services.createInstance("done", { id: "a" }),
    );
    await expect(refused).rejects.toMatchObject({ code: "INSTANCE_ID_ALREADY_EXISTS" });
    expect(await fragment.workflows.WAIT.get("w").then((w) => w.status())).toMatchObject(both);
    await stock.close();
  },
);
