import { expect, test } from "vitest";
import { findForbiddenEdges, findForbiddenEdgesInProject, readImports } from "./boundaries.ts";

test("S0-010 S0-014 no import in the repository crosses a forbidden edge between rooms", () => {
  expect(findForbiddenEdgesInProject().findings).toEqual([]);
});

test("imports are read over several lines, with types, re-exports and dynamic imports", () => {
  const text = [
    'import "./side.ts";',
    "import {",
    "  a,",
    '} from "./a.ts";',
    'import type { B } from "b";',
    'export { c } from "./c.ts";',
    'const d = await import("node:fs");',
    'const notAnImport = "import x from y";',
  ].join("\n");
  expect(readImports(text)).toEqual([
    { specifier: "./side.ts", typeOnly: false, line: 1 },
    { specifier: "./a.ts", typeOnly: false, line: 4 },
    { specifier: "b", typeOnly: true, line: 5 },
    { specifier: "./c.ts", typeOnly: false, line: 6 },
    { specifier: "node:fs", typeOnly: false, line: 7 },
  ]);
});

test.each([
  ["packages/engine/src/core/a.ts", 'import { x } from "../ports/store.ts";'],
  ["packages/engine/src/core/a.ts", 'import { x } from "hono";'],
  ["packages/engine/src/ports/a.ts", 'import { x } from "../core/errors.ts";'],
  ["packages/engine/src/authoring/a.ts", 'import { x } from "../process/tick.ts";'],
  ["packages/engine/src/run/a.ts", 'import { x } from "../stores/memory/index.ts";'],
  ["packages/engine/src/stores/sql/a.ts", 'import { x } from "../memory/index.ts";'],
  ["packages/engine/src/stores/sql/a.ts", 'import pg from "pg";'],
  ["packages/engine/src/verbs/a.ts", 'import { x } from "../stores/sql/index.ts";'],
  ["packages/engine/src/http/a.ts", 'import { x } from "../testing/index.ts";'],
  ["packages/engine/src/stores/sql/a.ts", 'import { x } from "@fragno-dev/db/schema";'],
  ["packages/db/src/batch.ts", 'import pg from "pg";'],
  ["packages/db/src/clients/pg/index.ts", 'import { x } from "@libsql/client";'],
  ["packages/db/src/clients/with-timeout.ts", 'import pg from "pg";'],
  ["packages/db/src/clients/sqlite.ts", 'import { x } from "./libsql.ts";'],
  ["packages/db/src/batch.ts", 'import { x } from "@escapement/engine";'],
  ["packages/db/src/batch.ts", 'import { x } from "../../engine/src/index.ts";'],
  ["adapters/node/src/a.ts", 'import { x } from "../../../packages/engine/src/process/tick.ts";'],
  ["adapters/node/src/a.ts", 'import { x } from "@escapement/bun";'],
  ["adapters/node/src/a.ts", 'import { x } from "@escapement/engine/internal";'],
  ["packages/fragno/src/adapter/a.ts", 'import { x } from "@escapement/engine";'],
  ["packages/engine/src/verbs/a.ts", 'import { x } from "../internal.ts";'],
  ["packages/engine/src/new-room/a.ts", ""],
])("the edge %s: %s is refused", (path, text) => {
  expect(findForbiddenEdges(path, text)).toHaveLength(1);
});

test.each([
  ["packages/engine/src/ports/a.ts", 'import type { X } from "../core/model/records.ts";'],
  ["packages/engine/src/verbs/a.ts", 'import { x } from "../http/app.ts";'],
  ["packages/engine/src/testing/a.ts", 'import { x } from "../stores/memory/index.ts";'],
  ["packages/fragno/src/schema/a.ts", 'import { x } from "@fragno-dev/db/schema";'],
  [
    "packages/db/src/clients/pg/pool.ts",
    'import pg from "pg";\nimport { x } from "../../batch.ts";',
  ],
  ["packages/db/src/clients/libsql.ts", 'import { x } from "./with-timeout.ts";'],
  ["packages/engine/src/core/a.test.ts", 'import fc from "fast-check";'],
])("the edge %s: %s is allowed", (path, text) => {
  expect(findForbiddenEdges(path, text)).toEqual([]);
});
