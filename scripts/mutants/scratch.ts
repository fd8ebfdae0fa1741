/** A clone in a temporary folder, in which bugs are planted: the user's tree is only read. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../project-files.ts";
import type { TestReport } from "../conformance/report.ts";
import { applyDiff, type Mutant } from "./patches.ts";

/** What a test run says. `caughtBy` is the first test that failed; null when all passed. */
export interface Outcome {
  readonly caughtBy: string | null;
  readonly seconds: number;
}

export interface Scratch {
  /** Short id of the commit that was cloned. */
  readonly commit: string;
  /** Runs test files or folders until the first failure. */
  runTests(files: readonly string[]): Promise<Outcome>;
  /** True when the compiler takes the sources as they are. */
  typesHold(): Promise<boolean>;
  /** Plants one bug in the commit, without those before. */
  plant(mutant: Mutant): void;
  remove(): void;
}

/** A planted bug may hang its tests; then that is how it is caught. */
const RUN_TIMEOUT_MS = 600_000;

/** Clones the last commit and installs what it needs. */
export async function openScratch(env: NodeJS.ProcessEnv): Promise<Scratch> {
  const folder = mkdtempSync(join(tmpdir(), "escapement-mutants-"));
  const run = (command: string, args: readonly string[]): string => {
    const result = spawnSync(command, args, { cwd: folder, encoding: "utf8", env });
    if (result.status === 0) return result.stdout.trim();
    throw new RangeError(`${command} ${args.join(" ")}: ${result.stderr}${result.stdout}`);
  };
  run("git", ["clone", "--quiet", "--shared", ROOT, "."]);
  const { packageManager } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    packageManager: string;
  };
  run("npx", ["-y", packageManager, "install", "--frozen-lockfile", "--prefer-offline"]);
  const clean = (): void => {
    run("git", ["checkout", "--quiet", "--", "."]);
    run("git", ["clean", "-fdq"]);
  };
  return {
    commit: run("git", ["rev-parse", "--short", "HEAD"]),
    runTests: (files) => runTests(folder, files, env),
    typesHold: async () => {
      const tsc = join(folder, "node_modules/typescript/bin/tsc");
      // Incremental: only what the bug touches is looked at again.
      const flags = ["--incremental", "--tsBuildInfoFile", ".cache/mutants.tsbuildinfo"];
      const args = [tsc, "--project", "tsconfig.json", ...flags];
      return (await runNode(args, { folder, env })).status === 0;
    },
    plant(mutant) {
      clean();
      const { status, stderr } = applyDiff(mutant.diff, folder);
      if (status !== 0) throw new RangeError(`${mutant.name} does not apply: ${stderr}`);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function runTests(
  folder: string,
  files: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Outcome> {
  const startedAt = performance.now();
  const report = join(folder, ".cache", "mutant.json");
  rmSync(report, { force: true });
  const args = [
    join(folder, "node_modules/vitest/vitest.mjs"),
    "run",
    ...files,
    "--bail=1",
    "--typecheck.enabled=false",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ];
  const { status, output } = await runNode(args, { folder, env });
  const seconds = (performance.now() - startedAt) / 1000;
  if (status === 0) return { caughtBy: null, seconds };
  return { caughtBy: readFirstFailure(report, folder) ?? describeEnd(status, output), seconds };
}

interface NodeRun {
  /** Exit code; null: it did not end in time. */
  readonly status: number | null;
  /** The end of what it wrote. */
  readonly output: string;
}

/** Runs Node in a process group of its own, so that nothing it started outlives it. */
function runNode(
  args: readonly string[],
  { folder, env }: { readonly folder: string; readonly env: NodeJS.ProcessEnv },
): Promise<NodeRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: folder, env, detached: true });
    let output = "";
    const keep = (chunk: Buffer): void => {
      output = `${output}${chunk.toString()}`.slice(-20_000);
    };
    const timer = setTimeout(() => killGroup(child.pid), RUN_TIMEOUT_MS);
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.once("error", reject);
    child.once("close", (status) => {
      clearTimeout(timer);
      killGroup(child.pid);
      resolve({ status, output });
    });
  });
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
}

function readFirstFailure(path: string, folder: string): string | null {
  if (!existsSync(path)) return null;
  const { testResults } = JSON.parse(readFileSync(path, "utf8")) as TestReport;
  for (const { name, status, assertionResults } of testResults) {
    const file = name.replace(`${folder}/`, "");
    const failed = assertionResults.find((test) => test.status === "failed");
    if (failed !== undefined) return `${file} › ${failed.title}`;
    if (status === "failed" && assertionResults.length === 0) return `${file} (did not load)`;
  }
  return null;
}

function describeEnd(status: number | null, output: string): string {
  if (status === null) return "the tests did not end";
  const line = output.split("\n").find((text) => /Error/.test(text));
  return `an error outside of tests: ${line?.trim().slice(0, 120) ?? "unknown"}`;
}
