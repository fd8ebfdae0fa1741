/** A bundled program that runs a fragment on our adapter, in its own process. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type BuildOptions, type Metafile } from "esbuild";

const HERE = fileURLToPath(new URL(".", import.meta.url));
/** Inside the package, so that external modules resolve. */
const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/", import.meta.url));

/** Writes one row and reads it, then prints its name. `connection` is set by the program that loads the bundle. */
const PROGRAM = `
import { defineFragment, instantiate } from "@fragno-dev/core";
import { withDatabase } from "@fragno-dev/db";
import { column, idColumn, schema } from "@fragno-dev/db/schema";
import { createFragnoAdapter } from "../adapter.ts";
import { createSqliteDatabase } from "@escapement/db/sqlite";
const things = schema((s) => s.addTable("thing", (t) => t.addColumn("id", idColumn()).addColumn("name", column("string"))));
const adapter = createFragnoAdapter({ database: createSqliteDatabase(globalThis.connection) });
const definition = defineFragment("things").extend(withDatabase(things)).build();
const fragment = instantiate(definition).withConfig({}).withRoutes([]).withOptions({ databaseAdapter: adapter }).build();
const found = await fragment.inContext(async function () {
  const id = await this.handlerTx().mutate(({ forSchema }) => forSchema(things).create("thing", { name: "it runs" })).execute();
  return this.handlerTx()
    .retrieve(({ forSchema }) => forSchema(things).find("thing", (b) => b.whereIndex("primary", (eb) => eb("id", "=", id))))
    .transformRetrieve(([rows]) => rows)
    .execute();
});
globalThis.console.log(found[0].name);
`;

const TABLES = [
  `create table thing_things (id text not null unique, name text not null, _internalId integer primary key autoincrement, _version integer not null default 0)`,
];

export interface BundledProgram {
  readonly metafile: Metafile;
  /** Runs it on Node after `prelude`, which opens the database; returns its output, or its errors. */
  readonly run: (prelude?: string) => string;
  readonly remove: () => void;
}

/** Bundles the program for Node as an ES module, without the driver. */
export async function bundleProgram(
  options: Omit<BuildOptions, "metafile"> = {},
): Promise<BundledProgram> {
  mkdirSync(CACHE, { recursive: true });
  const outdir = mkdtempSync(join(CACHE, "fragno-"));
  const { metafile } = await build({
    stdin: { contents: PROGRAM, resolveDir: HERE, sourcefile: "program.js" },
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    logLevel: "silent",
    outExtension: { ".js": ".mjs" },
    ...options,
    metafile: true,
  });
  return {
    metafile,
    run: (prelude = "") => run(join(outdir, "stdin.mjs"), prelude),
    remove: () => rmSync(outdir, { recursive: true }),
  };
}

function run(file: string, prelude: string): string {
  const program = [
    `import Libsql from "libsql";`,
    `globalThis.connection = new Libsql(":memory:");`,
    ...TABLES.map((table) => `connection.exec(${JSON.stringify(table)});`),
    prelude,
    `await import(${JSON.stringify(pathToFileURL(file).href)});`,
  ].join("\n");
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", program],
    { encoding: "utf8", cwd: HERE },
  );
  return stdout.trim() === "" ? stderr : stdout.trim();
}
