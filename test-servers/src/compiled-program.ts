/**
 * Programs of the repository for tests that start them in processes of their own: compiled once for all test files of a run.
 * Under tsx every start would look up and compile all that it loads, which takes longer than most of what tests let it do.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { madeOnce } from "./made-once.ts";

const SOURCE = /\.tsx?$/;
/** Packages of the repository, which are TypeScript. */
const OWN = /^(?:@escapement|@escapement-internal)\//u;

/**
 * Compiles programs with what they import from the repository, of which they share one copy; packages of others stay where they
 * are installed. To its own code each file is where it was: its `import.meta.url` is that of the source.
 *
 * @param files - absolute paths of the programs' TypeScript, and of modules that they load by their path
 * @returns by those paths, the files for Node alone
 */
export async function compileOnce(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const key = createHash("sha256").update(files.join("\n")).digest("hex").slice(0, 16);
  const folder = await madeOnce(`compiled-${key}`, (made) => compile(files, made));
  return new Map(files.map((file) => [file, join(folder, `${nameOf(file)}.mjs`)]));
}

const nameOf = (file: string): string => basename(file).replace(SOURCE, "");

async function compile(files: readonly string[], folder: string): Promise<void> {
  // What is imported by a name that only the program knows, a driver for instance, is looked for there.
  symlinkSync(join(packageOf(files[0] ?? ""), "node_modules"), join(folder, "node_modules"));
  await build({
    entryPoints: Object.fromEntries(files.map((file) => [nameOf(file), file])),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // What is loaded late stays so.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    keepNames: true,
    logLevel: "silent",
    plugins: [packagesStay, sourcesStay],
  });
}

/** The folder of the package that a file belongs to. */
function packageOf(file: string): string {
  let folder = dirname(file);
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

const packagesStay: Plugin = {
  name: "packages stay where they are",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, importer, pluginData }) => {
      if (kind === "entry-point" || pluginData === packagesStay || OWN.test(path)) return null;
      if (path.startsWith("node:")) return { path, external: true };
      const found = await resolve(path, { kind, resolveDir, importer, pluginData: packagesStay });
      if (found.errors.length > 0 || found.external) return { path, external: true };
      return { path: pathToFileURL(found.path).href, external: true };
    });
  },
};

const sourcesStay: Plugin = {
  name: "sources know where they are",
  setup({ onLoad }) {
    onLoad({ filter: SOURCE }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll(
        "import.meta.url",
        JSON.stringify(pathToFileURL(path).href),
      ),
      loader: path.endsWith("x") ? "tsx" : "ts",
      resolveDir: dirname(path),
    }));
  },
};
