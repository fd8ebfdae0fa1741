import fc from "fast-check";
import { expect, test } from "vitest";
import { toStepKey } from "./step-key.ts";

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
