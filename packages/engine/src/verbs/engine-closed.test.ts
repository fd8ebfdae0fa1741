/** Whoever waits for an instance when the engine is closed is told that, and that the instance goes on. */
import { afterEach, describe, expect, it } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";

const W = defineWorkflow({ name: "w" }, (_event, step) =>
  step.waitForEvent("go", { type: "go", timeout: "1 day" }),
);

const create = () => createEngine({ workflows: { W }, store: createMemoryStore() });

let engine = create();
afterEach(async () => {
  await engine.close();
  engine = create();
});

const closed = {
  code: "ENGINE_CLOSED",
  retryable: true,
  details: { workflowName: "w", instanceId: "x" },
  message: expect.stringContaining('closed while waiting for instance "x"') as string,
};

const WAITS: Readonly<Record<string, () => Promise<unknown>>> = {
  result: async () => (await engine.workflows.W.get("x")).result({ timeout: "1 hour" }),
  getInstance: () => engine.getInstance("w", "x", { waitMs: 20_000 }),
  ask: async () => (await engine.workflows.W.get("x")).ask({ type: "why" }),
  stream: async () => {
    for await (const entry of (await engine.workflows.W.get("x")).stream()) void entry;
  },
};

describe("a wait on an engine that is closed", () => {
  it.each(Object.keys(WAITS))("%s ends at once, with ENGINE_CLOSED", async (name) => {
    await engine.workflows.W.create({ id: "x" });
    await engine.tick();
    const waiting = WAITS[name]?.().catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await engine.close();
    expect(await waiting).toMatchObject(closed);
  });
});
