/** Folders in which an application finds another version of Fragno than the one that we support. */
import { cpSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { build } from "esbuild";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const require = createRequire(import.meta.url);

/** Folder of an installed package of Fragno. */
function folderOf(name: string): string {
  const path = realpathSync(require.resolve(name));
  const [folder] = /.*\/node_modules\/@fragno-dev\/\w+/u.exec(path) ?? [path];
  return folder;
}

/**
 * - `supported`: the version that we install, as a control
 * - `before`: 0.1.15, from npm under another name
 * - `named`: as 0.3.0 differs: schemas have names, columns no `ormName`
 * - `rebuilt`: as 0.4.1 differs: moreover, finds are built by other classes
 *
 * The last two stand in for versions that the registry does not have; they are made from the supported one.
 */
export type FragnoKind = "supported" | "before" | "named" | "rebuilt";

export interface Application {
  /** Runs a module there; what it printed, or its errors. `import` finds the bundles `adapter.mjs` and `fragment.mjs`. */
  readonly run: (program: string) => string;
  readonly remove: () => void;
}

/** Makes an application that has installed this Fragno, and our packages. */
export async function installFragno(kind: FragnoKind): Promise<Application> {
  const { path, remove } = temporaryDirectory();
  const modules = join(path, "node_modules");
  mkdirSync(join(modules, "@fragno-dev"), { recursive: true });
  linkPackages(dirname(dirname(folderOf("@fragno-dev/core"))), modules);
  const db = join(modules, "@fragno-dev/db");
  if (kind === "before") {
    const before = folderOf("fragno-db-before");
    linkPackages(dirname(dirname(before)), modules);
    cpSync(before, db, { recursive: true });
  } else if (kind === "supported") symlinkSync(folderOf("@fragno-dev/db"), db);
  else writeStandIn(db, kind);
  await bundlePackages(path);
  return {
    run(program) {
      const options = ["--input-type=module", "--eval", program];
      const { stdout, stderr } = spawnSync(process.execPath, options, {
        encoding: "utf8",
        cwd: path,
      });
      return stdout.trim() === "" ? stderr : stdout.trim();
    },
    remove,
  };
}

/** Our packages with Fragno left out; `own.mjs` is the adapter with the supported Fragno inside. */
async function bundlePackages(outdir: string): Promise<void> {
  const entry = (contents: string, name: string) => ({
    stdin: { contents, resolveDir: HERE },
    outfile: join(outdir, name),
    bundle: true,
    format: "esm" as const,
    platform: "node" as const,
    logLevel: "silent" as const,
  });
  const external = ["@fragno-dev/*"];
  const adapter = `export * from "@escapement/fragno";`;
  const banner = {
    js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`,
  };
  await Promise.all([
    build({ ...entry(adapter, "adapter.mjs"), external }),
    build({ ...entry(`export * from "@escapement/fragno";`, "fragment.mjs"), external }),
    build({ ...entry(`${adapter} export * from "@escapement/db/client";`, "own.mjs"), banner }),
  ]);
}

/** What lies beside a package in its store is what it may import. */
function linkPackages(from: string, to: string): void {
  for (const name of readdirSync(from)) {
    if (name === "@fragno-dev") linkScope(join(from, name), join(to, name));
    else symlinkOnce(join(from, name), join(to, name));
  }
}

function linkScope(from: string, to: string): void {
  for (const name of readdirSync(from))
    if (name !== "db") symlinkOnce(join(from, name), join(to, name));
}

function symlinkOnce(from: string, to: string): void {
  try {
    symlinkSync(realpathSync(from), to);
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
  }
}

const SUBPATHS: Readonly<Record<string, string>> = {
  ".": "mod.js",
  "./adapters": "adapters/adapters.js",
  "./cursor": "query/cursor.js",
  "./schema": "schema/create.js",
  "./unit-of-work": "query/unit-of-work/unit-of-work.js",
};

/** The supported version behind the surface of a later one. */
function writeStandIn(folder: string, kind: "named" | "rebuilt"): void {
  mkdirSync(folder, { recursive: true });
  const real = (file: string): string =>
    JSON.stringify(pathToFileURL(join(folderOf("@fragno-dev/db"), "dist", file)).href);
  const exported: Record<string, string> = {};
  for (const [subpath, file] of Object.entries(SUBPATHS)) {
    const name = file.replaceAll("/", "-");
    exported[subpath] = `./${name}`;
    writeFileSync(join(folder, name), toSurface(subpath, real(file), kind));
  }
  const manifest = { name: "@fragno-dev/db", version: "9.9.9", type: "module", exports: exported };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
}

function toSurface(subpath: string, real: string, kind: "named" | "rebuilt"): string {
  if (subpath === "./schema")
    return `export * from ${real}; import { schema as declare } from ${real};
      export function schema(name, callback) {
        const made = declare((builder) => callback(builder));
        for (const table of Object.values(made.tables))
          for (const column of Object.values(table.columns)) delete column.ormName;
        return { name, ...made };
      }`;
  if (subpath === "./unit-of-work" && kind === "rebuilt")
    return `export { TypedUnitOfWork, UnitOfWork, createUnitOfWork } from ${real};`;
  return `export * from ${real};`;
}
