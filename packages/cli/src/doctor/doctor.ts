/** `escapement doctor`: what is wrong with a deployment, why it matters, and what to do. */
import type { Command } from "commander";
import { connect } from "../connect.ts";
import { FoundError, UsageError } from "../errors.ts";
import { toCount } from "../option-values.ts";
import { toPlainText } from "../plain-text.ts";
import { toOutput } from "../session.ts";
import { toTable } from "../table.ts";
import { readOptions } from "../ways.ts";
import type { Finding } from "./finding.ts";

const HELP = `
With --db it checks the database: schema, durability, isolation, poolers, this machine's clock, overdue work, stuck leases, and
rows that belong to no instance. With --url it checks a server: that it is ready, that it refuses callers without a token, that
it has a secret for ticks, and overdue work. A database has no secrets, so run both. It changes nothing.

Exit codes: 0 all is well, or there are warnings; 1 a check failed; 2 wrong usage.

Examples:
  $ escapement doctor --db "$DATABASE_URL"
  $ escapement doctor --url https://orders.acme.dev/api/workflows --json
`;

/** How long due work may wait before a check fails. */
const DEFAULT_LATE_SECONDS = 300;

/** Adds the verb. */
export function addDoctor(program: Command): void {
  program
    .command("doctor")
    .summary("look for what is wrong with a deployment")
    .description("Looks for what is wrong with a database or a server, and says what to do.")
    .option(
      "--late <seconds>",
      "how long due work may wait for a tick",
      toCount,
      DEFAULT_LATE_SECONDS,
    )
    .addHelpText("after", HELP)
    .action(async ({ late }: { readonly late: number }, command: Command) => {
      const checks = await examine(command, late * 1000);
      const { print, width } = toOutput(command);
      print({ checks }, () => render(checks, width));
      if (checks.some(({ result }) => result === "fail")) throw new FoundError();
    });
}

async function examine(command: Command, lateMs: number): Promise<readonly Finding[]> {
  const options = readOptions(command);
  const { db, url, engine, token, timeout } = options;
  if (engine !== undefined || (db === undefined) === (url === undefined))
    throw new UsageError("doctor looks at one thing: give --db <database>, or --url <url>");
  if (db !== undefined) {
    const { checkDatabase } = await import("./database-checks.ts");
    return checkDatabase(db, { token, timeout, lateMs });
  }
  const { checkServer } = await import("./server-checks.ts");
  const [named, nameless] = await Promise.all([
    connect(options),
    connect({ ...options, token: undefined }),
  ]);
  return checkServer(named.send, { sendOpenly: nameless.send, lateMs });
}

const COLUMNS = ["RESULT", "CHECK", "FOUND"].map((title) => ({ title, mayBeCut: false }));

function render(checks: readonly Finding[], width: number | null): string {
  const rows = checks.map(({ result, check, found }) => [result, check, found]);
  const advice = checks
    .filter(({ why }) => why !== undefined)
    .map(({ check, why = "", advice: next = "" }) =>
      [`\n${check}`, `  why: ${why}`, `  do:  ${next}`].map(toPlainLines).join(""),
    );
  return toTable(COLUMNS, rows, width) + advice.join("");
}

/** A plain line; if the text begins with an empty line, that is kept. */
const toPlainLines = (text: string): string =>
  text.startsWith("\n") ? `\n${toPlainText(text.slice(1))}\n` : `${toPlainText(text)}\n`;
