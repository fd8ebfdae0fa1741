/**
 * Runs every check and prints a line for each with its time; fails at the end with the list of those that failed.
 *
 *   npm run check                    all, two at a time
 *   npm run check -- lint types      some
 */
import { spawn } from "node:child_process";
import { readProjectFile, ROOT } from "./project-files.ts";

/** Script names without `check:`, the long ones first. Each is run as `npm run check:<name>`. */
const CHECKS = [
  "exports",
  "bundle",
  "unused",
  "generated",
  "types",
  "public-names",
  "lint",
  "mutants",
  "conformance",
  "boundaries",
  "test-names",
  "house",
  "format",
];
/** At once: most checks leave a processor idle. */
const LANES = 2;

interface Outcome {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly output: string;
}

async function runCheck(name: string): Promise<Outcome> {
  const startedAt = performance.now();
  const { passed, output } = await runCommand(loadCommand(name));
  return { name, passed, output, seconds: (performance.now() - startedAt) / 1000 };
}

/** The command of the named script. Run without npm in between, which would add half a second to each. */
function loadCommand(name: string): string {
  const { scripts } = JSON.parse(readProjectFile("package.json")) as {
    scripts: Record<string, string>;
  };
  const command = scripts[`check:${name}`];
  if (command === undefined) throw new RangeError(`package.json has no script check:${name}`);
  return command;
}

function runCommand(command: string): Promise<{ passed: boolean; output: string }> {
  return new Promise((resolve) => {
    const path = `${ROOT}/node_modules/.bin:${process.env["PATH"] ?? ""}`;
    const env = { ...process.env, PATH: path, NO_COLOR: "1", FORCE_COLOR: undefined };
    const child = spawn(command, {
      cwd: ROOT,
      env,
      shell: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.once("close", (code) => {
      resolve({ passed: code === 0, output: Buffer.concat(chunks).toString().trim() });
    });
  });
}

const asked = process.argv.slice(2);
const names = asked.length === 0 ? CHECKS : asked;
const failed: Outcome[] = [];
const waiting = [...names];
async function runLane(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await report(name);
}
async function report(name: string): Promise<void> {
  const outcome = await runCheck(name);
  const verdict = outcome.passed ? "ok  " : "FAIL";
  console.log(`${verdict} ${name.padEnd(12)} ${outcome.seconds.toFixed(1).padStart(6)} s`);
  if (!outcome.passed) failed.push(outcome);
}
await Promise.all(Array.from({ length: LANES }, runLane));
for (const { name, output } of failed) console.error(`\n--- check:${name}\n${output}`);
console.log(
  failed.length === 0
    ? `\n${names.length} checks passed`
    : `\n${failed.length} of ${names.length} checks failed: ${failed.map(({ name }) => name).join(", ")}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
