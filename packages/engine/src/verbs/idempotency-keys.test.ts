import { expect, it, vi } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";

it("S5-030 S6-021 a step's key is the same for every attempt and after a restart, unless new keys are asked for, and begins with the namespace", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const keysOf = async (namespace?: string): Promise<readonly string[]> => {
    const keys: string[] = [];
    const w = defineWorkflow({ name: "a/b: c" }, async (_event, step) => {
      await step.do("x", { retries: { limit: 2, delay: 0 } }, ({ attempt, idempotencyKey }) => {
        keys.push(idempotencyKey);
        if (attempt < 3) throw new TypeError("again");
      });
    });
    const store = createMemoryStore();
    const options = namespace === undefined ? {} : { namespace };
    const engine = createEngine({ workflows: { W: w }, store, ...options });
    const instance = await engine.workflows.W.create({ id: "i" });
    while ((await engine.tick()).processed > 0);
    for (const newKeys of [false, true, false]) {
      await instance.restart({ newKeys });
      while ((await engine.tick()).processed > 0);
    }
    return keys;
  };
  const first = "a%2Fb%3A%20c/i/1/x";
  const second = "a%2Fb%3A%20c/i/2/x";
  expect(await keysOf()).toEqual([first, first, second, second].flatMap((key) => [key, key, key]));
  expect(new Set(await keysOf("eu"))).toEqual(new Set([`eu:${first}`, `eu:${second}`]));
});
