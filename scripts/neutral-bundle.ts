/** Bundles an entry for the neutral platform, where a Node built-in does not resolve, and holds it against its budget. */
import { build, type BuildOptions } from "esbuild";
import { readProjectFile } from "./project-files.ts";

/** Size of one entry against its budget. */
export interface Size {
  readonly entry: string;
  /** Minified, drivers external; null when it does not bundle. */
  readonly bytes: number | null;
  readonly budgetBytes: number | null;
  readonly problem: string | null;
}

/** A bundled entry. */
export interface Bundle extends Size {
  readonly code: string;
  /** Bytes by room or npm package. */
  readonly inputs: ReadonlyMap<string, number>;
}

/** Name of the bundle with a Postgres client in it. */
export const WHOLE_FUNCTION = "a function with Postgres";

/** Loaded from where the host installed them; Fragno beside the drivers. */
const DRIVERS = [
  "pg",
  "pg-*",
  "libsql",
  "@libsql/client",
  "@libsql/client/*",
  "@electric-sql/pglite",
  "@fragno-dev/*",
  "@aws-sdk/*",
  "vitest",
  "fast-check",
];

/** Entries that run on Node by what they are: the Node and Lambda adapters, and drivers that exist only there. */
const NODE_ENTRIES = new Set([
  "@escapement/aws-lambda",
  "@escapement/node",
  "@escapement/db/pg",
  "@escapement/db/sqlite",
  "@escapement/db/testing",
]);

const budgets = JSON.parse(readProjectFile("scripts/bundle-budget.json")) as Record<string, number>;

/** Bundles one entry, minified. What does not bundle comes back with the problem. */
export async function bundle(entry: string, input: BuildOptions): Promise<Bundle> {
  const budgetBytes = budgets[entry] ?? null;
  const usesNode = NODE_ENTRIES.has(entry) || entry === WHOLE_FUNCTION;
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
      metafile: true,
      outdir: ".",
    });
    const code = result.outputFiles?.[0]?.text ?? "";
    const bytes = Buffer.byteLength(code);
    const inputs = sumInputs(Object.values(result.metafile?.outputs ?? {})[0]?.inputs ?? {});
    return { entry, bytes, budgetBytes, problem: judge(bytes, budgetBytes), code, inputs };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { entry, bytes: null, budgetBytes, problem, code: "", inputs: new Map() };
  }
}

function sumInputs(
  inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>,
): Map<string, number> {
  const bytesByOwner = new Map<string, number>();
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const owner =
      /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ??
      /^packages\/[^/]+\/src\/[^/]+/.exec(path)?.[0] ??
      path;
    bytesByOwner.set(owner, (bytesByOwner.get(owner) ?? 0) + bytesInOutput);
  }
  return bytesByOwner;
}

function judge(bytes: number, budgetBytes: number | null): string | null {
  if (budgetBytes === null) return "has no budget in scripts/bundle-budget.json";
  return bytes > budgetBytes ? `over its budget by ${bytes - budgetBytes} bytes` : null;
}
