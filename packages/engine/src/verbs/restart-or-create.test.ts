/** `workflow.restartOrCreate`: how the binding treats an existing instance. */
import { expect, it } from "vitest";
import { z } from "zod";
import { createTickEngine } from "./tick-engine.ts";
import { defineWorkflow } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createHarness } from "../testing/harness.ts";

const schema = z.object({ n: z.number() });
const COUNT = defineWorkflow({ name: "count", schema }, async ({ payload }, step) =>
  step.do("n", () => payload.n),
);

it("S6-022 creates, and restarts with the new params once it has ended", async () => {
  const harness = createHarness({ workflows: { COUNT } });
  const ended = ["complete", "errored", "terminated"] as const;
  const first = await harness.workflows.COUNT.restartOrCreate({ id: "a", params: { n: 1 } });
  expect(first.outcome).toBe("created");
  const early = { id: "a", params: { n: 2 }, ifStatus: ended };
  expect((await harness.workflows.COUNT.restartOrCreate(early)).outcome).toBe("unchanged");
  await harness.runUntilIdle();
  expect(await first.instance.result()).toBe(1);
  const second = await harness.workflows.COUNT.restartOrCreate(early);
  expect(second.outcome).toBe("restarted");
  await harness.runUntilIdle();
  expect(await second.instance.status()).toEqual({ status: "complete", runNumber: 2, output: 2 });
});

it("S6-022 what is wrong is refused before anything is written", async () => {
  const harness = createHarness({ workflows: { COUNT } });
  const ask = (given: object): Promise<unknown> =>
    harness.workflows.COUNT.restartOrCreate({ id: "a", params: { n: 1 }, ...given });
  await expect(ask({ id: undefined })).rejects.toMatchObject({ code: "INVALID_INSTANCE_ID" });
  await expect(ask({ params: { n: "1" } })).rejects.toMatchObject({ code: "INVALID_PARAMS" });
  await expect(ask({ ifStatus: ["done"] })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  await expect(ask({ ifRunNumber: 0 })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  await expect(ask({ idempotencyKey: "" })).rejects.toMatchObject({
    code: "INVALID_IDEMPOTENCY_KEY",
  });
  await expect(ask({ delay: 1 })).rejects.toMatchObject({ code: "UNKNOWN_OPTION" });
  await expect(harness.workflows.COUNT.get("a")).rejects.toMatchObject({
    code: "INSTANCE_NOT_FOUND",
  });
});

it("S6-022 a key that created comes again with other params: IDEMPOTENCY_KEY_CONFLICT", async () => {
  const harness = createHarness({ workflows: { COUNT } });
  const ask = (n: number): Promise<{ readonly outcome: string }> =>
    harness.workflows.COUNT.restartOrCreate({ id: "a", params: { n }, idempotencyKey: "k" });
  expect((await ask(1)).outcome).toBe("created");
  expect((await ask(1)).outcome).toBe("created");
  await expect(ask(2)).rejects.toMatchObject({ code: "IDEMPOTENCY_KEY_CONFLICT" });
});

it("S6-022 is there on an engine that only ticks", async () => {
  const engine = createTickEngine({ workflows: { COUNT }, store: createMemoryStore() });
  const { instance } = await engine.workflows.COUNT.restartOrCreate({ id: "a", params: { n: 7 } });
  await engine.tick();
  expect(await instance.status()).toMatchObject({ status: "complete", output: 7 });
});
