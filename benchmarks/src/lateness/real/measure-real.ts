/** Real naps in real runtimes, where the runtime is installed. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { build } from "esbuild";
import { findRuntime } from "../../../../runtime-tests/src/tools.ts";
import { type Lateness, toLateness } from "../percentiles.ts";

const PROGRAMS = {
  node: new URL("node.ts", import.meta.url),
  bun: new URL("bun.ts", import.meta.url),
  deno: new URL("deno.ts", import.meta.url),
} as const;

type ProgramName = keyof typeof PROGRAMS;

export type RealFigures = Readonly<Record<string, Readonly<Record<string, Lateness>>>>;

/**
 * All runtimes at once, so that what the machine does meets all alike. A runtime that is not installed is said aloud.
 *
 * @param sleeps lengths in milliseconds by their keys
 */
export async function measureReal(
  sleeps: Readonly<Record<string, number>>,
  options: { readonly samples: number; readonly say: (message: string) => void },
): Promise<RealFigures> {
  const names = (Object.keys(PROGRAMS) as ProgramName[]).filter((name) => {
    const isThere = commandOf(name) !== null;
    if (!isThere) options.say(`SKIPPED: ${name} is not installed`);
    return isThere;
  });
  const figures = names.map(async (name) => {
    const lateness = await runProgram(name, [String(options.samples), ...toTexts(sleeps)]);
    const ofSleep = Object.entries(sleeps).map(
      ([key, sleepMs]) => [key, toLateness(lateness[String(sleepMs)] ?? [])] as const,
    );
    return [name, Object.fromEntries(ofSleep)] as const;
  });
  return Object.fromEntries(await Promise.all(figures));
}

const toTexts = (sleeps: Readonly<Record<string, number>>): readonly string[] =>
  Object.values(sleeps).map(String);

/** Node is the one that runs this. */
function commandOf(name: ProgramName): readonly string[] | null {
  if (name === "node") return [process.execPath];
  const command = findRuntime(name);
  if (command === null) return null;
  const flags = name === "deno" ? ["--allow-all", "--no-config", "--unstable-cron"] : [];
  return [command, "run", ...flags];
}

async function runProgram(
  name: ProgramName,
  args: readonly string[],
): Promise<Readonly<Record<string, readonly number[]>>> {
  const [command = "", ...flags] = commandOf(name) ?? [];
  const directory = temporaryDirectory();
  try {
    const file = await bundle(name);
    const all = [...flags, file, `${directory.path}/data.db`, ...args];
    const { stdout } = await promisify(execFile)(command, all);
    return JSON.parse(stdout) as Record<string, number[]>;
  } finally {
    directory.remove();
  }
}

/** Beside the packages of the benchmarks, where the driver of Node is found. */
async function bundle(name: ProgramName): Promise<string> {
  const outfile = fileURLToPath(
    new URL(`../../../node_modules/.cache/lateness/${name}.mjs`, import.meta.url),
  );
  await build({
    entryPoints: [fileURLToPath(PROGRAMS[name])],
    outfile,
    bundle: true,
    platform: "neutral",
    format: "esm",
    target: "es2022",
    mainFields: ["module", "main"],
    external: ["node:*", "bun:*", "libsql"],
    logLevel: "error",
  });
  return outfile;
}
