/**
 * Runs the command as a shell does: in its own process, without variables of this environment that it reads. It is compiled once
 * for all tests, and so are the modules of a user that many of them name; `dev.test.ts` runs it with a user's TypeScript.
 */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { compileOnce } from "@escapement-internal/test-servers/compiled-program";

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const [MAIN, MANY] = [here("main.ts"), here("testing-many.ts")];
const toExample = (name: string): string => here(`../../../examples/broken-deploy/src/${name}.ts`);
const MODULES = [
  ...["testing-app.ts", "testing-deployed.ts"].map(here),
  ...["deployed", "hasty", "mended"].map(toExample),
];

/** The result of a command. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param environment variables besides PATH @param input for standard input */
export function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = "",
): Promise<Ended> {
  return runProgram([MAIN, ...args], environment, input);
}

/** Runs several, one after another, in one process. */
export async function runCommands(
  lines: readonly (readonly string[])[],
  environment: Readonly<Record<string, string>>,
): Promise<readonly Ended[]> {
  const compiled = await compileAll();
  const toRun = lines.map((words) => words.map((word) => compiled.get(word) ?? word));
  const { stdout, stderr } = await runProgram([MANY], environment, JSON.stringify(toRun));
  if (stdout === "") throw new RangeError(stderr);
  return JSON.parse(stdout) as readonly Ended[];
}

/** The arguments for Node, and the variables, that run the command. */
export async function compileCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly args: string[]; readonly env: Record<string, string | undefined> }> {
  return await compileProgram([MAIN, ...args], environment);
}

const compileAll = (): ReturnType<typeof compileOnce> => compileOnce([MAIN, MANY, ...MODULES]);

async function compileProgram(
  program: readonly string[],
  environment: Readonly<Record<string, string>>,
): ReturnType<typeof compileCommand> {
  const compiled = await compileAll();
  const toCompiled = (word: string): string => compiled.get(word) ?? word;
  const variables = Object.entries(environment).map(([name, value]) => [name, toCompiled(value)]);
  const env = { PATH: process.env["PATH"], ...Object.fromEntries(variables) };
  return { args: program.map(toCompiled), env };
}

async function runProgram(
  program: readonly string[],
  environment: Readonly<Record<string, string>>,
  input: string,
): Promise<Ended> {
  const { args, env } = await compileProgram(program, environment);
  const child = spawn(process.execPath, args, { env, timeout: 140_000 });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
