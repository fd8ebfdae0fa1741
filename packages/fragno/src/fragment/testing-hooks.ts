/** Workflows whose hooks are looked at. */
import { defineWorkflow } from "./authoring.ts";

export const workflows = {
  HELLO: defineWorkflow({ name: "hello" }, () => "hello"),
  WAIT: defineWorkflow({ name: "wait" }, async (_event, step) => {
    const { payload } = await step.waitForEvent("go", { type: "go" });
    return payload;
  }),
  LATE: defineWorkflow({ name: "late" }, async (_event, step) => {
    await step.do("try", { retries: { limit: 1, delay: "1 hour" } }, ({ attempt }) => {
      if (attempt === 1) throw new TypeError("once");
    });
    await step.sleep("nap", "1 hour");
    await step.waitForEvent("go", { type: "go", timeout: "1 hour" }).catch(() => undefined);
  }),
  PARENT: defineWorkflow({ name: "parent" }, (_event, step, { workflows: children }) =>
    step.do("start", async () => void (await children["HELLO"]?.create({ id: "child" }))),
  ),
  ORDER: defineWorkflow({ name: "order" }, (_event, step) =>
    step.invoke("wait", { id: "invoked" }),
  ),
} as const;
