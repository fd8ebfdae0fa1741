/** Test files take turns by what they need. */
import { expect, test } from "vitest";
import { orderFiles } from "./test-order.ts";

const file = (path: string, isIsolated = true) => ({ path, isIsolated });
const paths = (files: readonly { readonly path: string }[]) => files.map(({ path }) => path);

test("files that wait take turns with files that compute, the longest first; those that share a process come last, together", () => {
  const files = [
    file("/packages/engine/src/a.test.ts", false),
    file("/adapters/node/src/a.test.ts"),
    file("/runtime-tests/src/a.test.ts"),
    file("/packages/engine/src/b.test.ts", false),
    file("/simulation/src/a.test.ts"),
    file("/runtime-tests/src/create/a.test.ts"),
    file("/proofs/src/a.test.ts"),
  ];
  expect(paths(orderFiles(files))).toEqual([
    "/runtime-tests/src/create/a.test.ts",
    "/simulation/src/a.test.ts",
    "/runtime-tests/src/a.test.ts",
    "/proofs/src/a.test.ts",
    "/adapters/node/src/a.test.ts",
    "/packages/engine/src/a.test.ts",
    "/packages/engine/src/b.test.ts",
  ]);
});
