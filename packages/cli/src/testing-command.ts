/** Runs the command as a shell does: in its own process, without variables of this environment that it reads. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const MANY = fileURLToPath(new URL("testing-many.ts", import.meta.url));

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
  const { stdout, stderr } = await runProgram([MANY], environment, JSON.stringify(lines));
  if (stdout === "") throw new RangeError(stderr);
  return JSON.parse(stdout) as readonly Ended[];
}

async function runProgram(
  program: readonly string[],
  environment: Readonly<Record<string, string>>,
  input: string,
): Promise<Ended> {
  const env = { PATH: process.env["PATH"], ...environment };
  const command = ["--import", import.meta.resolve("tsx"), ...program];
  const child = spawn(process.execPath, command, { env, timeout: 140_000 });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
