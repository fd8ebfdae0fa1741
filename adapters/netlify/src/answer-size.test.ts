/** No answer is larger than Netlify lets out, however large what workflows keep is. */
import { createEngine, defineWorkflow, type Engine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { expect, test } from "vitest";
import { createNetlifyPlatform, handler } from "./index.ts";

/** Decimal megabytes, to be on the safe side. @source netlify/context-and-tools, skills/netlify-functions, 2026-08-12: 6 MB, and 4.5 MB of what is binary */
const MAX_ANSWER_BYTES = 4_500_000;
/** As much as a payload may be once it is text: a quote takes two bytes in JSON. */
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

test("answers with the largest values, on request too, stay below what Netlify lets out", async () => {
  const platform = createNetlifyPlatform({ signingKeys: ["background-key-of-more-than-24-bytes"] });
  const engine = createEngine({
    workflows: { LARGE },
    store: createMemoryStore(),
    logger: { log: () => undefined },
    http: { open: true },
  });
  const take = handler(engine, { platform });
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
    const answer = await take(new Request(API + path), { waitUntil: () => undefined });
    expect([path, answer.status]).toEqual([path, 200]);
    sizes[path] = (await answer.arrayBuffer()).byteLength;
  }
  for (const size of Object.values(sizes)) expect(size).toBeLessThan(MAX_ANSWER_BYTES);
  expect(Math.max(...Object.values(sizes))).toBeGreaterThan(2_000_000);
});
