/**
 * Check: every entry bundles for a neutral platform (no Node built-ins) and stays within its size budget. Bytes are those
 * that load with the entry; what `import()` loads when it is asked for is "late", and has a budget together with them.
 *
 *   tsx scripts/bundle.ts            a table
 *   tsx scripts/bundle.ts --inputs   the same, and what the tick path's bytes are made of
 *   tsx scripts/bundle.ts --json     { entries, tickPath, function }, the last two with importMs
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  API_FUNCTION,
  bundle,
  type Bundle,
  type BundledFile,
  type Size,
  TICKING_FUNCTION,
  WHOLE_FUNCTION,
} from "./neutral-bundle.ts";
import { listPublicSources, loadPublishedPackages } from "./package-exports.ts";
import { ROOT } from "./project-files.ts";

const TICK_PATH = "tick path";
const TICK_PATH_WITH_ROUTE = "tick path with its route";
const IMPORT_RUNS = 5;

/** What a function that only ticks loads, without a store; its ticks come from a queue, a schedule or an alarm. */
const TICK_PATH_SOURCE = toSource("engine/tick");

/** The same with the tick route. */
const ROUTE_SOURCE = `${TICK_PATH_SOURCE} export { createTickHandler } from "@escapement/engine/http";`;

/** What a function with the whole API on a platform with Postgres is: engine, HTTP, the SQL store and the client. */
const FUNCTION_SOURCE = toSource("engine", "engine/http", "engine/store/sql", "db/pg");

/** Functions as applications write them, who import a few names and not every export. */
const FUNCTIONS: readonly (readonly [entry: string, source: string])[] = [
  [
    TICKING_FUNCTION,
    `import { createTickEngine } from "@escapement/engine/tick";
     import { postgres } from "@escapement/engine/postgres";
     export const engine = createTickEngine({ workflows: {}, store: postgres("", { max: 1 }) });`,
  ],
  [
    API_FUNCTION,
    `import { bearerAuth, createEngine } from "@escapement/engine";
     import { postgres } from "@escapement/engine/postgres";
     const http = { authorizeRequest: bearerAuth(globalThis.secret) };
     export const engine = createEngine({ workflows: {}, store: postgres("", { max: 1 }), http });`,
  ],
];

/** What a file of workflows carries of the engine that declares one with `do` and `sleep` alone. */
const WORKFLOW = "a workflow of do and sleep";
const WORKFLOW_SOURCE = `
  import { defineWorkflow } from "@escapement/engine";
  export default defineWorkflow({ name: "w" }, async (_event, step) => {
    await step.do("a", () => 1);
    await step.sleep("b", "1 day");
  });`;

function toSource(...names: readonly string[]): string {
  return names.map((name, i) => `export * as part${i} from "@escapement/${name}";`).join("\n");
}

async function bundleEntries(): Promise<Size[]> {
  const sizes: Size[] = [];
  for (const { specifier, path: source } of loadPublishedPackages().flatMap(listPublicSources)) {
    const path = join(ROOT, source);
    const {
      files: _files,
      inputs: _inputs,
      ...size
    } = await bundle(specifier, {
      entryPoints: [path],
    });
    sizes.push(existsSync(path) ? size : { ...size, problem: `${source} is missing` });
  }
  return sizes;
}

/** Milliseconds to import the bundle in a fresh process: the median of a few. Null when it cannot be imported. */
function measureImportMs(files: readonly BundledFile[]): number | null {
  const [entry] = files;
  if (entry === undefined) return null;
  // Beside the drivers of packages/db, so that the external imports resolve.
  const folder = join(ROOT, "packages/db/node_modules/.cache/bundle");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { name, code } of files) writeFileSync(join(folder, name), code);
  const file = join(folder, entry.name);
  const program = `const t = performance.now(); await import(${JSON.stringify(pathToFileURL(file).href)}); console.log(performance.now() - t);`;
  const times = Array.from({ length: IMPORT_RUNS }, () => {
    const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
    });
    return status === 0 ? Number(stdout) : Number.NaN;
  });
  const median = times.toSorted((a, b) => a - b)[Math.floor(IMPORT_RUNS / 2)] ?? Number.NaN;
  return Number.isNaN(median) ? null : Math.round(median * 10) / 10;
}

function printTable(sizes: readonly Size[]): void {
  for (const { entry, bytes, lateBytes, budgetBytes, problem } of sizes) {
    const numbers = [bytes ?? "-", lateBytes, budgetBytes ?? "-"].map((value) =>
      String(value).padStart(8),
    );
    const firstLine = problem?.split("\n").slice(0, 3).join(" ") ?? "ok";
    console.log(`${entry.padEnd(34)}${numbers.join("")}  ${firstLine}`);
  }
}

const bundleSource = (entry: string, contents: string): Promise<Bundle> =>
  bundle(entry, { stdin: { contents, resolveDir: ROOT, sourcefile: `${entry}.js` } });

const entries = await bundleEntries();
const { files, inputs, ...tickPath } = await bundleSource(TICK_PATH, TICK_PATH_SOURCE);
const {
  files: _routeFiles,
  inputs: _routeInputs,
  ...withRoute
} = await bundleSource(TICK_PATH_WITH_ROUTE, ROUTE_SOURCE);
const {
  files: functionFiles,
  inputs: _,
  ...wholeFunction
} = await bundleSource(WHOLE_FUNCTION, FUNCTION_SOURCE);
const functions: Size[] = [];
for (const [entry, source] of FUNCTIONS) {
  const { files: _files, inputs: _inputs, ...size } = await bundleSource(entry, source);
  functions.push(size);
}
const {
  files: _workflowFiles,
  inputs: _workflowInputs,
  ...workflow
} = await bundleSource(WORKFLOW, WORKFLOW_SOURCE);
const importMs = measureImportMs(files);
const functionImportMs = measureImportMs(functionFiles);
const all = [...entries, workflow, tickPath, withRoute, ...functions, wholeFunction];
if (process.argv.includes("--json")) {
  const answer = {
    entries,
    tickPath: { ...tickPath, importMs },
    function: { ...wholeFunction, importMs: functionImportMs },
  };
  console.log(JSON.stringify(answer, null, 2));
} else {
  console.log(
    `${"entry".padEnd(34)}${"bytes".padStart(8)}${"late".padStart(8)}${"budget".padStart(8)}`,
  );
  printTable(all);
  console.log(
    `import: tick path ${importMs} ms, function with the pg driver ${functionImportMs} ms`,
  );
}
if (process.argv.includes("--inputs")) {
  for (const [owner, bytes] of [...inputs].toSorted((a, b) => b[1] - a[1])) {
    console.log(`${String(bytes).padStart(8)}  ${owner}`);
  }
}
if (all.some(({ problem }) => problem !== null)) process.exitCode = 1;
