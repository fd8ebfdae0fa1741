/**
 * Check: every entry bundles for a neutral platform (no Node built-ins) and stays within its size budget.
 *
 *   tsx scripts/bundle.ts            a table
 *   tsx scripts/bundle.ts --json     { entries, tickPath, function }, the last two with importMs
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type BuildOptions } from "esbuild";
import { loadPublishedPackages, toSpecifier } from "./package-exports.ts";
import { readProjectFile, ROOT } from "./project-files.ts";

interface Size {
  readonly entry: string;
  /** Minified, drivers external; null when it does not bundle. */
  readonly bytes: number | null;
  readonly budgetBytes: number | null;
  readonly problem: string | null;
}

const TICK_PATH = "tick path";
const FUNCTION = "a function with Postgres";
const IMPORT_RUNS = 5;

/** Loaded from where the host installed them. */
const DRIVERS = [
  "pg",
  "pg-*",
  "libsql",
  "@libsql/client",
  "@libsql/client/*",
  "@electric-sql/pglite",
  "vitest",
  "fast-check",
];

/** Entries that run on Node by what they are: the Node adapter, and drivers that exist only there. */
const NODE_ENTRIES = new Set([
  "@escapement/node",
  "@escapement/db/pg",
  "@escapement/db/sqlite",
  "@escapement/db/testing",
]);

/** What every host loads: the engine with its HTTP handler and Hono, without a store. */
const TICK_PATH_SOURCE = toSource("engine", "engine/http");

/** What a function on a platform with Postgres is: the tick path, the SQL store and the client. */
const FUNCTION_SOURCE = toSource("engine", "engine/http", "engine/store/sql", "db/pg");

const budgets = JSON.parse(readProjectFile("scripts/bundle-budget.json")) as Record<string, number>;

function toSource(...names: readonly string[]): string {
  return names.map((name, i) => `export * as part${i} from "@escapement/${name}";`).join("\n");
}

async function bundle(entry: string, input: BuildOptions): Promise<Size & { code: string }> {
  const budgetBytes = budgets[entry] ?? null;
  const usesNode = NODE_ENTRIES.has(entry) || entry === FUNCTION;
  try {
    const result = await build({
      ...input,
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
      target: "es2022",
      platform: "neutral",
      mainFields: ["module", "main"],
      conditions: ["import"],
      external: [...DRIVERS, ...(usesNode ? ["node:*"] : [])],
      logLevel: "silent",
      legalComments: "none",
    });
    const code = result.outputFiles?.[0]?.text ?? "";
    const bytes = Buffer.byteLength(code);
    return { entry, bytes, budgetBytes, problem: judge(bytes, budgetBytes), code };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { entry, bytes: null, budgetBytes, problem, code: "" };
  }
}

function judge(bytes: number, budgetBytes: number | null): string | null {
  if (budgetBytes === null) return "has no budget in scripts/bundle-budget.json";
  return bytes > budgetBytes ? `over its budget by ${bytes - budgetBytes} bytes` : null;
}

async function bundleEntries(): Promise<Size[]> {
  const sizes: Size[] = [];
  for (const { folder, manifest } of loadPublishedPackages()) {
    for (const [entry, source] of Object.entries(manifest.exports ?? {})) {
      const specifier = toSpecifier(manifest.name, entry);
      const path = join(ROOT, folder, source);
      const { code: _, ...size } = await bundle(specifier, { entryPoints: [path] });
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

const bundleSource = (entry: string, contents: string): Promise<Size & { code: string }> =>
  bundle(entry, { stdin: { contents, resolveDir: ROOT, sourcefile: `${entry}.js` } });

const entries = await bundleEntries();
const { code, ...tickPath } = await bundleSource(TICK_PATH, TICK_PATH_SOURCE);
const { code: functionCode, ...wholeFunction } = await bundleSource(FUNCTION, FUNCTION_SOURCE);
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
if (all.some(({ problem }) => problem !== null)) process.exitCode = 1;
