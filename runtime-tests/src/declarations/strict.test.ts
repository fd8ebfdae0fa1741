/** A project that has installed one package, and whose compiler sees no other: what it exports has names in that package. */
import { execFile } from "node:child_process";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PackageRegistry, servePackages } from "../pages/packages.ts";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const TSC = pathOf("../../../node_modules/typescript/bin/tsc");
const run = promisify(execFile);

const compilerOptions = {
  module: "nodenext",
  target: "es2022",
  declaration: true,
  emitDeclarationOnly: true,
  outDir: "out",
  strict: true,
  skipLibCheck: true,
  types: ["node"],
  typeRoots: [pathOf("../../../node_modules/@types")],
};

let registry: PackageRegistry;
const directory = temporaryDirectory();
beforeAll(async () => {
  registry = await servePackages();
}, 600_000);
afterAll(() => {
  registry.stop();
  directory.remove();
});

test("what an application exports without a written type can be named where only @escapement/node is installed", async () => {
  const cwd = directory.path;
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ type: "module", private: true }));
  writeFileSync(join(cwd, ".npmrc"), registry.npmrc);
  cpSync(pathOf("strict/app.ts"), join(cwd, "app.ts"));
  writeFileSync(join(cwd, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["app.ts"] }));
  const install = ["install", "--install-strategy=linked", "--no-audit", "@escapement/node"];
  await run("npm", install, { cwd });
  expect(existsSync(join(cwd, "node_modules/@escapement/node"))).toBe(true);
  expect(existsSync(join(cwd, "node_modules/@escapement/engine"))).toBe(false);
  const compiled = run(process.execPath, [TSC, "--project", "."], { cwd });
  const { stdout } = await compiled.catch((error: { readonly stdout: string }) => error);
  expect(stdout).toBe("");
  const text = readFileSync(join(cwd, "out/app.d.ts"), "utf8");
  const named = [...text.matchAll(/import\("(?<from>[^"]+)"\)/g)].map(
    ({ groups }) => groups?.["from"],
  );
  expect(new Set(named)).toEqual(new Set(["@escapement/node", "@escapement/node/types", "http"]));
}, 600_000);
