/** What the demo was asked for on the command line. */
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, type ParseArgsConfig } from "node:util";
import { DemoError } from "./demo-error.ts";

export interface DemoOptions {
  readonly ordersFile: string;
  /** How many orders of the file to take; null: all. */
  readonly orderCount: number | null;
  readonly killCount: number;
  readonly folder: string;
  readonly store:
    | { readonly kind: "file" }
    | { readonly kind: "libsql" | "postgres"; readonly url: string };
  readonly isFresh: boolean;
  /** Only to show what the last run left. */
  readonly isLook: boolean;
  /** All waiting that is only for show is multiplied by this. */
  readonly pace: number;
  readonly seed: number;
}

const HERE = fileURLToPath(new URL("..", import.meta.url));

/** Printed by `--help`. */
export const USAGE = `Usage: npm run demo -- [options]

Runs orders through a durable workflow while its worker is killed again and again, then
checks that every order was charged exactly once.

  --orders N        take the first N orders of the file         (default: all, 200)
  --kills N         SIGKILL the worker up to N times            (default: 3)
  --postgres URL    keep the instances in Postgres; "embedded" starts one for the demo
  --libsql URL      keep them in a libSQL server (http:// or ws://); "embedded" starts one
                    (default: an embedded libSQL file)
  --file PATH       another CSV file of orders
  --dir PATH        where the run keeps its files               (default: examples/orders/run)
  --fresh           start over; without it an unfinished run continues where it was
  --look            the dashboard of the last run's instances, until Ctrl-C
  --fast            a shorter show: payments and approvals come quicker
  --seed N          other moments to kill, other payment failures (default: 1)
  --help            this text

Exit code 0: the ledger is right. 1: it is not, or the demo could not run. 2: wrong options.
`;

const OPTIONS = {
  orders: { type: "string" },
  kills: { type: "string", default: "3" },
  postgres: { type: "string" },
  libsql: { type: "string" },
  file: { type: "string", default: join(HERE, "orders.csv") },
  dir: { type: "string", default: join(HERE, "run") },
  fresh: { type: "boolean", default: false },
  look: { type: "boolean", default: false },
  fast: { type: "boolean", default: false },
  seed: { type: "string", default: "1" },
  help: { type: "boolean", default: false },
} as const satisfies ParseArgsConfig["options"];

/** Wrong options: the caller prints the usage. */
export class UsageError extends DemoError {}

/**
 * Options of a command line; null when only help is wanted.
 *
 * @param cwd what relative paths are relative to
 * @throws {UsageError}
 */
export function parseOptions(args: readonly string[], cwd: string): DemoOptions | null {
  const values = parse(args);
  if (values.help) return null;
  const store = parseStore(values.postgres, values.libsql);
  if (values.look && store.kind !== "file" && store.url === "embedded")
    throw new UsageError("--look: what an embedded server held went away with it");
  return {
    ordersFile: resolve(cwd, values.file),
    orderCount: values.orders === undefined ? null : parseCount("orders", values.orders, 1),
    killCount: parseCount("kills", values.kills, 0),
    folder: resolve(cwd, values.dir),
    store,
    isFresh: values.fresh,
    isLook: values.look,
    pace: values.fast ? 0.4 : 1,
    seed: parseCount("seed", values.seed, 0),
  };
}

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"];

function parse(args: readonly string[]): Values {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function parseCount(name: string, text: string, least: number): number {
  const count = Number(text);
  if (/^\d{1,6}$/.test(text) && count >= least) return count;
  throw new UsageError(`--${name} takes a whole number from ${least} on, not "${text}"`);
}

function parseStore(postgres?: string, libsql?: string): DemoOptions["store"] {
  if (postgres !== undefined && libsql !== undefined)
    throw new UsageError("--postgres and --libsql exclude each other");
  if (postgres !== undefined) return parseUrl("postgres", postgres, /^postgres(ql)?:$/);
  if (libsql !== undefined) return parseUrl("libsql", libsql, /^(https?|wss?|libsql):$/);
  return { kind: "file" };
}

function parseUrl(
  kind: "libsql" | "postgres",
  url: string,
  protocol: RegExp,
): DemoOptions["store"] {
  const isUrl = URL.canParse(url) && protocol.test(new URL(url).protocol);
  if (isUrl || url === "embedded") return { kind, url };
  throw new UsageError(`--${kind} takes a URL of that kind or the word "embedded", not "${url}"`);
}
