/**
 * Runs many command lines, one after another, in one process: it reads them as JSON from standard input, and writes their results
 * to standard output.
 */
import { text } from "node:stream/consumers";
import { run } from "./program.ts";
import type { Ended } from "./testing-command.ts";

async function runCaptured(args: readonly string[]): Promise<Ended> {
  const written = { stdout: "", stderr: "" };
  const own = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ["stdout", "stderr"] as const)
    process[name].write = (chunk: unknown, ...rest: readonly unknown[]) => {
      written[name] += String(chunk);
      const done = rest.at(-1);
      if (typeof done === "function") (done as () => void)();
      return true;
    };
  try {
    return { code: await run(args), ...written };
  } finally {
    process.stdout.write = own.stdout;
    process.stderr.write = own.stderr;
  }
}

const lines = JSON.parse(await text(process.stdin)) as readonly (readonly string[])[];
const ended: Ended[] = [];
for (const args of lines) ended.push(await runCaptured(args));
process.stdout.write(JSON.stringify(ended), () => process.exit(0));
