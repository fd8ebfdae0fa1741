import fc from "fast-check";
import { expect, test } from "vitest";
import { isBelow, loopsOf, outlives, toPath, toStepKey } from "./step-key.ts";
import { iterationOf } from "./iteration-key.ts";

test("S5-006 the first use of a name is the bare name, later ones are numbered", () => {
  expect([1, 2, 3].map((occurrence) => toStepKey("poll", occurrence))).toEqual([
    "poll",
    "poll#2",
    "poll#3",
  ]);
});

test("separators in names are escaped", () => {
  expect(toStepKey("50% of a/b ~ #2", 1)).toBe("50%25 of a%2Fb %7E %232");
});

test("no two of name and occurrence share a key", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "#", "2", "%", "3", "/", "~") });
  const use = fc.record({ name, occurrence: fc.integer({ min: 1, max: 30 }) });
  fc.assert(
    fc.property(use, use, (a, b) => {
      const isSame = a.name === b.name && a.occurrence === b.occurrence;
      expect(toStepKey(a.name, a.occurrence) === toStepKey(b.name, b.occurrence)).toBe(isSame);
    }),
  );
});

test("S3-012 what stands at a place stands behind its key and a separator, and no other name does", () => {
  expect(toPath("", "a")).toBe("a");
  expect(toPath("j/a", "b")).toBe("j/a/b");
  expect(["j/a/b", "j/a", "j/ab", "j/a#2/b", "k/a/b"].map((key) => isBelow(key, "j/a"))).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

test("S3-014 a key tells the iterations that it stands in, of each loop around it", () => {
  expect([...loopsOf("l/~3/j/a/m/~12/x")]).toEqual(["l", "l/~3/j/a/m"]);
  expect(iterationOf("l/~3/j/a/m/~12/x", "l")).toBe(3);
  expect(iterationOf("l/~3/j/a/m/~12/x", "l/~3/j/a/m")).toBe(12);
  expect(iterationOf("l/~3", "l")).toBe(3);
  expect(iterationOf("ll/~3/x", "l")).toBeNull();
  expect([...loopsOf("a/b")]).toEqual([]);
});

test("a row is there as long as a step when it is gone only with whole iterations around both", () => {
  expect(outlives("a", "b")).toBe(true);
  expect(outlives("l/~0/a", "l/~0/b")).toBe(true);
  expect(outlives("l/~0/a", "l/~0/m/~1/b")).toBe(true);
  expect(outlives("l/~0/m/~1/b", "l/~0/a")).toBe(false);
  expect(outlives("l/~0/a", "l/~01/b")).toBe(false);
  expect(outlives("l/~0/a", "slow")).toBe(false);
});
