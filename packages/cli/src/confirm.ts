/** Asks the user before something is done. */
import { createInterface } from "node:readline/promises";
import { UsageError } from "./errors.ts";

/**
 * @param preview what would be done
 * @param instead the option to give if nobody can be asked
 * @throws {UsageError} nobody is there to answer, or the answer is no
 */
export async function confirm(preview: string, instead: string): Promise<void> {
  if (!process.stdin.isTTY) throw new UsageError(`nobody can be asked here: ${instead}`);
  process.stderr.write(preview);
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asking.question("Begin? (y/N) ");
  asking.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError("nothing was begun");
}
