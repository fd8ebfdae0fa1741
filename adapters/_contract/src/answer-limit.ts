/** No answer is larger than a platform allows, however large the stored values are. */
import { createEngine, defineWorkflow, type Engine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { expect, test } from "vitest";

/** The largest answer that a platform allows. */
export interface AnswerLimit {
  /** The platform's name. */
  readonly name: string;
  /** The most bytes of an answer. */
  readonly maxBytes: number;
  /** Answers a request as the adapter does. */
  readonly handle: (engine: Engine) => (request: Request) => Promise<Response>;
}

/** The largest payload, once it is text: a quote takes two bytes in JSON. */
const LARGEST = '"'.repeat(2 ** 19 - 1);
const API = "https://orders.example.com/api/workflows/workflows/large/instances";

const LARGE = defineWorkflow({ name: "large" }, async ({ payload }, step) => {
  for (let count = 0; count < 6; count += 1) await step.do(`step ${count}`, () => LARGEST);
  for (let count = 0; count < 6; count += 1)
    await step.waitForEvent(`event ${count}`, { type: "e" });
  if (payload === "fails") throw new TypeError("x".repeat(6_000_000));
  return LARGEST;
});

async function runLarge(engine: Engine, id: string, params: string): Promise<void> {
  await engine.createInstance("large", { id, params });
  for (let count = 0; count < 6; count += 1)
    await engine.sendEvent("large", id, { type: "e", payload: LARGEST });
  await engine.tick();
}

/** Registers one test: the engine's largest answers, including those on request, pass through the adapter and fit. */
export function describeAnswerLimit({ name, maxBytes, handle }: AnswerLimit): void {
  test(`S9-013 answers with the largest values, on request too, stay below what ${name} lets out`, async () => {
    const engine = createEngine({
      workflows: { LARGE },
      store: createMemoryStore(),
      logger: { log: () => undefined },
      http: { open: true },
    });
    const take = handle(engine);
    for (const [id, params] of [
      ["a", LARGEST],
      ["b", "ends"],
      ["c", "fails"],
    ] as const)
      await runLarge(engine, id, params);
    const sizes: Record<string, number> = {};
    for (const path of [
      "?payloads=full",
      "/a",
      "/b",
      "/c",
      "/a/history?payloads=full",
      "/c/history",
    ]) {
      const answer = await take(new Request(API + path));
      expect([path, answer.status]).toEqual([path, 200]);
      sizes[path] = (await answer.arrayBuffer()).byteLength;
    }
    for (const size of Object.values(sizes)) expect(size).toBeLessThan(maxBytes);
    expect(Math.max(...Object.values(sizes))).toBeGreaterThan(2_000_000);
  });
}
