import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { afterEach, expect, test } from "vitest";
import { readByAttw, readByPublint } from "./read-tarball.ts";

const GOOD = {
  name: "read",
  version: "1.0.0",
  type: "module",
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
};
const CODE = {
  "dist/index.js": "export const one = 1;\n",
  "dist/index.d.ts": "export declare const one: number;\n",
};

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

function pack(manifest: object, files: Readonly<Record<string, string>>): Buffer {
  const { path, remove } = temporaryDirectory();
  cleanups.push(remove);
  mkdirSync(join(path, "package/dist"), { recursive: true });
  const all = { "package.json": JSON.stringify(manifest), ...files };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(path, "package", name), text);
  execFileSync("tar", ["-czf", "packed.tgz", "package"], { cwd: path });
  return readFileSync(join(path, "packed.tgz"));
}

test("a package as it should be has no findings", async () => {
  const tarball = pack(GOOD, CODE);
  expect(await readByPublint(tarball)).toEqual([]);
  expect(await readByAttw(tarball)).toEqual([]);
});

test("publint finds an entry that was not packed, and types that come too late to be found", async () => {
  const absent = { ...GOOD, exports: { ".": "./dist/absent.js" } };
  expect(await readByPublint(pack(absent, CODE))).toEqual([
    expect.stringContaining("the file does not exist"),
  ]);
  const types = { default: "./dist/index.js", types: "./dist/index.d.ts" };
  const late = { ...GOOD, exports: { ".": types } };
  expect((await readByPublint(pack(late, CODE))).join("\n")).toContain("should be the first");
});

test.each([
  { name: "no types", files: { "dist/index.js": "export const one = 1;\n" }, finds: "no types" },
  {
    name: "types that import a file that was not packed",
    files: { ...CODE, "dist/index.d.ts": 'export * from "./absent.js";\n' },
    finds: "InternalResolutionError",
  },
  {
    name: "types of another kind of module",
    files: { ...CODE, "dist/index.d.cts": "export declare const one: number;\n" },
    manifest: { exports: { ".": { types: "./dist/index.d.cts", default: "./dist/index.js" } } },
    finds: "FalseCJS",
  },
])("attw finds $name", async ({ files, manifest, finds }) => {
  const findings = await readByAttw(pack({ ...GOOD, ...manifest }, files));
  expect(findings.join("\n")).toContain(finds);
});

test("that a CommonJS program cannot require an ES module is no finding: none is offered", async () => {
  const more = { ...GOOD, exports: { ...GOOD.exports, "./more": GOOD.exports["."] } };
  expect(await readByAttw(pack(more, CODE))).toEqual([]);
});
