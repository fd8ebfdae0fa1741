/** The example as somebody has it who installed its packages: what Vercel builds and runs. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const EXAMPLE = fileURLToPath(new URL("../../../examples/platforms/vercel/", import.meta.url));
const FILES = ["api", "public", "src", "package.json", "tsconfig.json", "vercel.json"];

/** Copies the example, each of its files as it is, and puts the packages that it imports beside it. */
export async function writeVercelProject(folder: string): Promise<void> {
  for (const name of FILES) cpSync(join(EXAMPLE, name), join(folder, name), { recursive: true });
  const modules = join(folder, "node_modules");
  const specifiers = readSpecifiers();
  await build({
    entryPoints: Object.fromEntries(specifiers.map((name) => [toFile(name), name])),
    outdir: modules,
    absWorkingDir: EXAMPLE,
    bundle: true,
    // What two packages share is one module, as if both were installed.
    splitting: true,
    chunkNames: "@escapement/engine/[hash]",
    format: "esm",
    platform: "node",
    target: "es2022",
    // A dependency of the libSQL client requires.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
  for (const name of new Set(specifiers.map(toPackage))) writeManifest(modules, name, specifiers);
}

/** All packages that the example imports, with their paths. */
function readSpecifiers(): readonly string[] {
  const sources = readdirSync(join(EXAMPLE, "src")).map((name) =>
    readFileSync(join(EXAMPLE, "src", name), "utf8"),
  );
  const found = sources.join("\n").matchAll(/ from "([^"./][^"]*)";/g);
  return [...new Set(Array.from(found, ([, specifier = ""]) => specifier))];
}

const toPackage = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

const toFile = (specifier: string): string => {
  const path = specifier.slice(toPackage(specifier).length + 1);
  return `${toPackage(specifier)}/${path === "" ? "index" : path.replaceAll("/", "-")}`;
};

function writeManifest(modules: string, name: string, specifiers: readonly string[]): void {
  const own = specifiers.filter((specifier) => toPackage(specifier) === name);
  const exports = Object.fromEntries(
    own.map((specifier) => [
      `.${specifier.slice(name.length)}`,
      `.${toFile(specifier).slice(name.length)}.js`,
    ]),
  );
  mkdirSync(join(modules, name), { recursive: true });
  const manifest = { name, version: "0.0.0", type: "module", exports };
  writeFileSync(join(modules, name, "package.json"), JSON.stringify(manifest));
}
