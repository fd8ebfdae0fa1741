/**
 * Check: every entry bundles for a neutral platform (no Node built-ins) and stays within its size budget.
 *
 *   tsx scripts/bundle.ts            a table
 *   tsx scripts/bundle.ts --inputs   the same, and what the tick path's bytes are made of
 *   tsx scripts/bundle.ts --json     { entries, tickPath, function }, the last two with importMs
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle, type Bundle, type Size, WHOLE_FUNCTION } from "./neutral-bundle.ts";
import { loadPublishedPackages, toSpecifier } from "./package-exports.ts";
import { ROOT } from "./project-files.ts";

const TICK_PATH = "tick path";
const IMPORT_RUNS = 5;

/** What a function that only ticks loads: the engine with its tick route on Hono, without a store. */
const TICK_PATH_SOURCE = toSource("engine/tick");

/** What a function with the whole API on a platform with Postgres is: engine, HTTP, the SQL store and the client. */
const FUNCTION_SOURCE = toSource("engine", "engine/http", "engine/store/sql", "db/pg");

function toSource(...names: readonly string[]): string {
  return names.map((name, i) => `export * as part${i} from "@escapement/${name}";`).join("\n");
}

async function bundleEntries(): Promise<Size[]> {
  const sizes: Size[] = [];
  for (const { folder, manifest } of loadPublishedPackages()) {
    for (const [entry, source] of Object.entries(manifest.exports ?? {})) {
      const specifier = toSpecifier(manifest.name, entry);
      const path = join(ROOT, folder, source);
      const {
        code: _code,
        inputs: _inputs,
        ...size
      } = await bundle(specifier, { entryPoints: [path] });
      sizes.push(
        existsSync(path) ? size : { ...size, problem: `${folder}/${source.slice(2)} is missing` },
      );
    }
  }
  return sizes;
}

/** Milliseconds to import the bundle in a fresh process: the median of a few. Null when it cannot be imported. */
function measureImportMs(code: string): number | null {
  // Beside the drivers of packages/db, so that the external imports resolve.
  const folder = join(ROOT, "packages/db/node_modules/.cache");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "tick-path.mjs");
  writeFileSync(file, code);
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
  for (const { entry, bytes, budgetBytes, problem } of sizes) {
    const numbers = [bytes ?? "-", budgetBytes ?? "-"].map((value) => String(value).padStart(8));
    const firstLine = problem?.split("\n").slice(0, 3).join(" ") ?? "ok";
    console.log(`${entry.padEnd(34)}${numbers.join("")}  ${firstLine}`);
  }
}

const bundleSource = (entry: string, contents: string): Promise<Bundle> =>
  bundle(entry, { stdin: { contents, resolveDir: ROOT, sourcefile: `${entry}.js` } });

const entries = await bundleEntries();
const { code, inputs, ...tickPath } = await bundleSource(TICK_PATH, TICK_PATH_SOURCE);
const {
  code: functionCode,
  inputs: _,
  ...wholeFunction
} = await bundleSource(WHOLE_FUNCTION, FUNCTION_SOURCE);
const importMs = code === "" ? null : measureImportMs(code);
const functionImportMs = functionCode === "" ? null : measureImportMs(functionCode);
const all = [...entries, tickPath, wholeFunction];
if (process.argv.includes("--json")) {
  const answer = {
    entries,
    tickPath: { ...tickPath, importMs },
    function: { ...wholeFunction, importMs: functionImportMs },
  };
  console.log(JSON.stringify(answer, null, 2));
} else {
  console.log(`${"entry".padEnd(34)}${"bytes".padStart(8)}${"budget".padStart(8)}`);
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
