import { expect, test } from "vitest";
import { findHouseBreaks } from "./house.ts";

const SOURCE = "packages/engine/src/core/a.ts";

test.each([
  [SOURCE, 'throw new Error("x");'],
  [SOURCE, "// TODO later"],
  [SOURCE, 'const { a } = await import("./a.ts");'],
  [SOURCE, 'const a = once(() => import("./a.ts"));'],
  ["docs/a.md", "see /home/someone/file"],
  ["docs/a.md", `from ${["registry", "example", "org"].join(".")}`],
  [SOURCE, "/* eslint-disable no-console */"],
  ["packages/db/src/utils.ts", ""],
])("the house refuses %s with %j", (path, text) => {
  expect(findHouseBreaks(path, text)).toHaveLength(1);
});

test.each([
  ["packages/engine/src/core/errors.ts", 'throw new Error("x");'],
  ["packages/engine/src/core/a.test.ts", 'throw new Error("x");'],
  [SOURCE, 'const a = late(() => import("./a.ts"));\nconst b = late(() =>\n  import("./b.ts"));'],
  [SOURCE, 'type A = typeof import("./a.ts");\nengine.import(lines);'],
  ["packages/engine/src/core/a.test.ts", 'await import("./a.ts");'],
  [SOURCE, "// oxlint-disable-next-line no-console -- shown to people"],
  ["docs/a.md", "https://example.org/work/shop"],
])("the house allows %s with %j", (path, text) => {
  expect(findHouseBreaks(path, text)).toEqual([]);
});
