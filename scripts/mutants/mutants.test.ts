import { expect, test } from "vitest";
import { findMissing, loadMutants, parseMutant } from "./patches.ts";
import { findFault, hashDiff, loadResults, renderResults } from "./results.ts";

const TEXT = `plants: a thing is
  forgotten
nearest: a.test.ts
  b/

diff --git a/x.ts b/x.ts
--- a/x.ts
+++ b/x.ts
@@ -1 +1 @@
-a
+b
`;

test("a patch says what it plants, where, and which tests are nearest", () => {
  expect(parseMutant("forgetful", TEXT)).toMatchObject({
    name: "forgetful",
    plants: "a thing is forgotten",
    nearest: ["a.test.ts", "b/"],
    changes: ["x.ts"],
  });
});

test("a patch without a head is refused", () => {
  expect(() => parseMutant("bare", "diff --git a/x b/x\n")).toThrow(/mutants\/bare\.patch/);
});

test("a place without tests is no place to look for one that catches it", () => {
  const nearest = ["scripts/mutants", "scripts/mutants/mutants.test.ts", "scripts/gone"];
  expect(findMissing({ nearest })).toEqual(["scripts/gone"]);
});

test("the results name what caught each, and count those that nothing caught", () => {
  const mutant = parseMutant("forgetful", TEXT);
  const other = parseMutant("other", TEXT);
  const hash = hashDiff(mutant);
  const page = renderResults([mutant, other], {
    forgetful: { kind: "near", by: "a.test.ts › remembers", hash },
    other: { kind: "survived", by: "", hash },
  });
  expect(page).toContain("2 planted: 1 caught by the nearest tests, 0 by the rest, 1 not.");
  expect(page).toContain(
    "| forgetful | a thing is forgotten | the nearest | a.test.ts › remembers |",
  );
  expect(page).toContain("| other | a thing is forgotten | **survived** |  |");
});

test("a mutant that was changed since it was planted counts no more", () => {
  const mutant = parseMutant("forgetful", TEXT);
  const results = { forgetful: { kind: "near", by: "a test", hash: hashDiff(mutant) } } as const;
  expect(findFault(mutant, results)).toBeNull();
  const changed = parseMutant("forgetful", TEXT.replace("+b", "+c"));
  expect(findFault(changed, results)).toBe("changed since it was planted");
  const moved = parseMutant("forgetful", TEXT.replace("@@ -1 +1 @@", "@@ -9 +9 @@"));
  expect(findFault(moved, results)).toBeNull();
});

test("S5-034 at least forty planted bugs were caught when they were last planted, and none was not", () => {
  const mutants = loadMutants();
  const results = loadResults();
  const faults = mutants.map((mutant) => findFault(mutant, results));
  expect(faults.filter((fault) => fault === null).length).toBeGreaterThanOrEqual(40);
  expect(faults).not.toContain("survived");
  expect(faults).not.toContain("invalid");
});
