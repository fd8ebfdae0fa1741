import fc from "fast-check";
import { expect, test } from "vitest";
import { toIdempotencyKey } from "./idempotency-key.ts";

/** Names that could be split in more than one way. */
const name = fc
  .array(fc.constantFrom("a", "/", ":", "%", "%2F", "%3A", "1", "#", "~", " ", "é", "🙂"), {
    maxLength: 6,
  })
  .map((parts) => parts.join(""));
const id = fc.string({ unit: fc.constantFrom("a", "1", "-", "_"), minLength: 1, maxLength: 3 });
const place = fc.record({
  namespace: name,
  workflowName: name.filter((text) => text !== ""),
  instanceId: id,
  keyNumber: fc.integer({ min: 1, max: 3 }),
  stepKey: name.filter((text) => text !== ""),
});

interface Place {
  readonly namespace: string;
  readonly workflowName: string;
  readonly instanceId: string;
  readonly keyNumber: number;
  readonly stepKey: string;
}

const keyOf = ({ namespace, stepKey, keyNumber, ...run }: Place): string =>
  toIdempotencyKey(namespace, { run, keyNumber }, stepKey);

test("S5-030 keys differ for any two of namespace, workflow, instance, key number and step", () => {
  fc.assert(
    fc.property(fc.array(place, { minLength: 2, maxLength: 60 }), (places) => {
      const distinct = new Set(places.map((item) => JSON.stringify(Object.values(item))));
      expect(new Set(places.map(keyOf)).size).toBe(distinct.size);
    }),
    { numRuns: 300 },
  );
});

test.each([
  [
    ["", "a/b", "c"],
    ["", "a", "b/c"],
  ],
  [
    ["x", "w", "c"],
    ["", "x:w", "c"],
  ],
  [
    ["", "x%3Aw", "c"],
    ["", "x:w", "c"],
  ],
])("S5-030 %j and %j have keys of their own", ([n1, w1, s1], [n2, w2, s2]) => {
  const key = (namespace = "", workflowName = "", stepKey = ""): string =>
    toIdempotencyKey(namespace, { run: { workflowName, instanceId: "i" }, keyNumber: 1 }, stepKey);
  expect(key(n1, w1, s1)).not.toBe(key(n2, w2, s2));
});

test("a key of plain names is readable", () => {
  const run = { run: { workflowName: "order", instanceId: "o-1" }, keyNumber: 2 };
  expect(toIdempotencyKey("", run, "charge card")).toBe("order/o-1/2/charge card");
  expect(toIdempotencyKey("eu west", run, "charge")).toBe("eu%20west:order/o-1/2/charge");
});
