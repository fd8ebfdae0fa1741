/** Asks the person at the shell before something is done. */
import { createInterface } from "node:readline/promises";
import { UsageError } from "./errors.ts";

/**
 * @param preview what would be done
 * @param instead what to give where nobody can be asked
 * @throws {UsageError} nobody is there to be asked, or says no
 */
export async function confirm(preview: string, instead: string): Promise<void> {
  if (!process.stdin.isTTY) throw new UsageError(`nobody can be asked here: ${instead}`);
  process.stderr.write(preview);
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asking.question("Begin? (y/N) ");
  asking.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError("nothing was begun");
}
