/** Runtimes and bundles: defects 24 to 28 of the library, and what our adapter does about them. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BundledProgram, bundleProgram } from "./testing/bundled-program.ts";

/** What the library's CommonJS dependencies need in an ES module bundle on Node. */
const REQUIRE_BANNER = {
  js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`,
};

let program: BundledProgram;

beforeAll(async () => {
  program = await bundleProgram({ banner: REQUIRE_BANNER });
});
afterAll(() => program.remove());

test("fragno defect 24: a runtime without Promise.withResolvers runs the adapter", () => {
  expect(program.run("delete Promise.withResolvers;")).toBe("it runs");
});

test("fragno defect 25: a runtime without process runs the adapter", () => {
  expect(program.run("delete globalThis.process;")).toBe("it runs");
});

test("fragno defect 26: only the asynchronous context of Node is loaded; Kysely and node:crypto come with migrations", async () => {
  const { metafile, remove } = await bundleProgram({
    external: ["node:*"],
    platform: "neutral",
    mainFields: ["module", "main"],
  });
  const entry = Object.entries(metafile.outputs).find(
    ([, output]) => output.entryPoint?.includes("program") === true,
  );
  const loaded = new Set<string>();
  const visit = (path: string): void => {
    const output = metafile.outputs[path];
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { kind, path: next } of output?.imports ?? [])
      if (kind !== "dynamic-import") visit(next);
  };
  visit(entry?.[0] ?? "");
  const inputs = [...loaded].flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
  expect([...loaded].filter((path) => path.startsWith("node:"))).toEqual(["node:async_hooks"]);
  expect(inputs.filter((path) => path.includes("/kysely"))).toEqual([]);
  remove();
});

test("fragno defect 27: an ES module bundle for Node runs with a require of its own", () => {
  expect(program.run()).toBe("it runs");
});

test("fragno defect 28: the adapter loads no driver, so that a runtime needs only the one that it has", () => {
  const packages = new Set(
    Object.keys(program.metafile.inputs).flatMap(
      (path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(path)?.[1] ?? [],
    ),
  );
  const drivers = ["pg", "libsql", "@libsql/client", "@electric-sql/pglite", "better-sqlite3"];
  expect(drivers.filter((driver) => packages.has(driver))).toEqual([]);
});
