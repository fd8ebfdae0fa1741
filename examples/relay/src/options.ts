/** What the relay was asked for on the command line. */
import { parseArgs } from "node:util";

/** The databases that the relay runs over. */
export type RelayDatabase = "libsql" | "postgres";

/** Printed by `--help`. */
export const USAGE = `Usage: npm run relay -- [options]

Carries one workflow instance from platform to platform, a step on each; the process that ran
a step is killed with SIGKILL before the next one starts. Then it draws who ran what.

  --libsql            only over a libSQL server that it starts
  --postgres          only over a Postgres that it starts
                      (default: one after the other)
  --help              this text

Platforms whose tools are not installed are skipped, and named with the command that installs
them. Exit code 0: every platform that is installed ran its step exactly once. 1: not so.
2: wrong options.
`;

/** Wrong options: the caller prints the usage. */
export class UsageError extends Error {}

/** Options of a command line; null when only help is wanted. @throws {UsageError} */
export function parseOptions(args: readonly string[]): readonly RelayDatabase[] | null {
  const { help, libsql, postgres } = parse(args);
  if (help) return null;
  const isAll = libsql === postgres;
  return (["libsql", "postgres"] as const).filter((kind) => isAll || { libsql, postgres }[kind]);
}

const flag = { type: "boolean", default: false } as const;

function parse(args: readonly string[]): Record<"help" | "libsql" | "postgres", boolean> {
  try {
    const options = { help: flag, libsql: flag, postgres: flag };
    return parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
