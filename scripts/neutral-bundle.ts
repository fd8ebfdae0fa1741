/** Bundles an entry for the neutral platform, where a Node built-in does not resolve, and holds it against its budget. */
import { basename } from "node:path";
import { build, type BuildOptions, type BuildResult, type Metafile } from "esbuild";
import { readProjectFile } from "./project-files.ts";

/** Size of one entry against its budget. */
export interface Size {
  readonly entry: string;
  /** Loaded with the entry: minified, drivers external; null when it does not bundle. */
  readonly bytes: number | null;
  /** Loaded by `import()`, when something is asked for that needs it. */
  readonly lateBytes: number;
  readonly budgetBytes: number | null;
  readonly problem: string | null;
}

/** A bundled entry. */
export interface Bundle extends Size {
  readonly files: readonly BundledFile[];
  /** Bytes that are loaded with the entry, by room or npm package. */
  readonly inputs: ReadonlyMap<string, number>;
}

/** A file of a bundle; the first one is the entry. */
export interface BundledFile {
  readonly name: string;
  readonly code: string;
}

const ENTRY_FILE = "entry.js";

/** Names of the bundles with a Postgres client in them: with every export, and as an application writes them. */
export const WHOLE_FUNCTION = "a function with Postgres";
export const TICKING_FUNCTION = "a function that ticks, on Postgres";
export const API_FUNCTION = "a function with the API, on Postgres";

/** Loaded from where the host installed them; Fragno beside the drivers. */
const DRIVERS = [
  "pg",
  "pg-*",
  "libsql",
  "@libsql/client",
  "@libsql/client/*",
  "@electric-sql/pglite",
  "@neondatabase/serverless",
  "@fragno-dev/*",
  "@aws-sdk/*",
  "vitest",
  "fast-check",
];

/** Bundles that run on Node by what they are: the Node and Lambda adapters, drivers that exist only there, and what has one. */
const NODE_ENTRIES = new Set([
  "@escapement/aws-lambda",
  "@escapement/node",
  "@escapement/node/postgres",
  "@escapement/db/pg",
  "@escapement/db/sqlite",
  "@escapement/db/testing",
  "@escapement/engine/postgres",
  WHOLE_FUNCTION,
  TICKING_FUNCTION,
  API_FUNCTION,
]);

const budgets = JSON.parse(readProjectFile("scripts/bundle-budget.json")) as Record<string, number>;

/** Bundles one entry, minified. What does not bundle comes back with the problem. */
export async function bundle(entry: string, input: BuildOptions): Promise<Bundle> {
  const budgetBytes = budgets[entry] ?? null;
  const usesNode = NODE_ENTRIES.has(entry);
  const options: BuildOptions & { metafile: true } = {
    ...input,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    entryNames: "entry",
    target: "es2022",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["import"],
    external: [...DRIVERS, ...(usesNode ? ["node:*"] : [])],
    logLevel: "silent",
    legalComments: "none",
    metafile: true,
    outdir: ".",
  };
  try {
    const split = measure(entry, await build({ ...options, splitting: true }));
    // Beside code that could be loaded late, esbuild keeps what only that asks for, also where nothing is ever loaded late.
    const measured =
      split.lateBytes > 0 ? split : measure(entry, await build({ ...options, splitting: false }));
    return { entry, budgetBytes, ...measured };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const nothing = { bytes: null, lateBytes: 0, files: [], inputs: new Map<string, number>() };
    return { entry, budgetBytes, problem, ...nothing };
  }
}

function measure(entry: string, result: BuildResult): Omit<Bundle, "entry" | "budgetBytes"> {
  const outputs = result.metafile?.outputs ?? {};
  const early = withImports(outputs, ["import-statement"]);
  const all = withImports(outputs, ["import-statement", "dynamic-import"]);
  const bytes = sumBytes(outputs, early);
  const lateBytes = sumBytes(outputs, all) - bytes;
  const files = (result.outputFiles ?? [])
    .map(({ path, text }) => ({ name: basename(path), code: text }))
    .toSorted((a, b) => Number(b.name === ENTRY_FILE) - Number(a.name === ENTRY_FILE));
  const inputs = sumInputs([...early].map((path) => outputs[path]?.inputs ?? {}));
  return { bytes, lateBytes, files, inputs, problem: judge(entry, { bytes, lateBytes }) };
}

type Outputs = Metafile["outputs"];

/** The entry and all that it comes to import by the ways given. */
function withImports(outputs: Outputs, kinds: readonly string[]): ReadonlySet<string> {
  const paths = new Set([ENTRY_FILE]);
  for (const path of paths)
    for (const { path: imported, kind, external } of outputs[path]?.imports ?? [])
      if (kinds.includes(kind) && external !== true) paths.add(imported);
  return paths;
}

const sumBytes = (outputs: Outputs, paths: ReadonlySet<string>): number =>
  [...paths].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0);

function sumInputs(
  files: readonly Readonly<Record<string, { readonly bytesInOutput: number }>>[],
): Map<string, number> {
  const bytesByOwner = new Map<string, number>();
  for (const [path, { bytesInOutput }] of files.flatMap((inputs) => Object.entries(inputs))) {
    const owner =
      /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ??
      /^packages\/[^/]+\/src\/[^/]+/.exec(path)?.[0] ??
      path;
    bytesByOwner.set(owner, (bytesByOwner.get(owner) ?? 0) + bytesInOutput);
  }
  return bytesByOwner;
}

/** What is loaded late counts too, so that nothing grows unseen. */
function judge(
  entry: string,
  { bytes, lateBytes }: { readonly bytes: number; readonly lateBytes: number },
): string | null {
  const all = lateBytes === 0 ? [] : [[`${entry}, with what it loads late`, bytes + lateBytes]];
  for (const [name, size] of [[entry, bytes], ...all] as [string, number][]) {
    const budgetBytes = budgets[name];
    if (budgetBytes === undefined) return `has no budget "${name}" in scripts/bundle-budget.json`;
    if (size > budgetBytes) return `${name}: over its budget by ${size - budgetBytes} bytes`;
  }
  return null;
}
