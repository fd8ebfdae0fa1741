import { createMemoryStore } from "@escapement/engine/store/memory";
import { expect, it } from "vitest";
import { shop } from "./order.ts";
import { deployBroken, investigate, mend, tryOut } from "./story.ts";

it("a deploy that broke 300 of 1000 orders is found, understood, mended, tried out and made good, and nothing is done twice", async () => {
  const store = createMemoryStore();
  const lines: string[] = [];
  const tell = (line: string): number => lines.push(line);
  await deployBroken(store);
  expect([shop.reserved.size, shop.charged.size]).toEqual([1000, 700]);
  await investigate(store, tell);
  await tryOut(store, tell);
  await mend(store, tell);
  expect(lines).toEqual([
    "orders: 700 complete, 300 errored",
    expect.stringMatching(
      /^order-\d+, errored: reserve → price failed: Cannot read properties of undefined/u,
    ),
    expect.stringMatching(/^order-\d+, complete: reserve → price → charge$/u),
    expect.stringContaining("Cannot read properties of undefined"),
    "a hasty fix diverges from 1000 of 1000 histories",
    "the fix diverges from 0 of 1000 histories",
    "a dry run: 300 would be retried, 0 refused",
    "the job is complete: 300 of 300 retried",
    "orders: 1000 complete",
  ]);
  expect(shop.charged.size).toBe(1000);
  expect([...shop.reserved.values(), ...shop.charged.values()].every((count) => count === 1)).toBe(
    true,
  );
});
