/** The command line: the options of every verb, and the handling of errors. */
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { addActivity } from "./activity.ts";
import { addEmit, addLs, addSend, addStart } from "./commands.ts";
import { addBulk } from "./bulk.ts";
import { addCompletion } from "./completion.ts";
import { addDelete } from "./delete.ts";
import { addDev } from "./dev/dev.ts";
import { addDoctor } from "./doctor/doctor.ts";
import { FoundError, RefusedError, UsageError } from "./errors.ts";
import { addExplain } from "./explain.ts";
import { hideSecrets, type Secrets } from "./hide-token.ts";
import { toPlainText } from "./plain-text.ts";
import { addMigrate } from "./migrate.ts";
import { addMove } from "./move.ts";
import { addOverview } from "./overview.ts";
import { addReplay } from "./replay.ts";
import { addShow } from "./show.ts";
import { flushOutput } from "./standard-output.ts";
import { addSteering } from "./steering.ts";
import { addTick } from "./tick.ts";
import { VERSION } from "./version.ts";

/** Adds one or more verbs with their help texts. */
type AddCommand = (program: Command) => void;

/** In the order of `--help`. */
const COMMANDS: readonly AddCommand[] = [
  addStart,
  addLs,
  addShow,
  addExplain,
  addActivity,
  addOverview,
  addSend,
  addEmit,
  addSteering,
  addDelete,
  addBulk,
  addMove,
  addReplay,
  addMigrate,
  addTick,
  addDev,
  addDoctor,
  addCompletion,
];

/** The longest wait for an answer, in seconds. */
const MAX_TIMEOUT = 3600;
const DEFAULT_TIMEOUT = 30;

const HELP = `
Where the engine is:
  over HTTP   ESCAPEMENT_URL=https://host/api/workflows and ESCAPEMENT_TOKEN
  a database  --db postgres://…, --db libsql://… or --db ./data.db: no server and no code needed;
              or ESCAPEMENT_DB, which lists of processes do not show
  a module    --engine ./dist/engine.js, which exports your engine: its database and its code

Examples:
  $ escapement ls --status errored            what failed?
  $ escapement show order o-17                why, and what is it waiting for?
  $ escapement retry order o-17               try again from what failed
  $ escapement start order '{"sku":"tea"}'
  $ escapement replay --from ./data.db --module ./src/workflows.ts

Exit codes: 0 done; 1 refused or failed, with the error's code on standard error; 2 wrong usage; 3 \`replay --strict\` left some out.
\`escapement help <command>\` says more, with examples.
`;

/** Runs a command line. @param args without the program's name @returns the exit code */
export async function run(args: readonly string[]): Promise<0 | 1 | 2 | 3> {
  const program = createProgram();
  try {
    await program.parseAsync([...args], { from: "user" });
    await flushOutput();
    return 0;
  } catch (error) {
    if (error instanceof FoundError) return error.exitCode;
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const code = error instanceof RefusedError ? `${error.code}: ` : "";
    if (code === "" && !(error instanceof UsageError)) throw error;
    const line = toPlainText(`escapement: ${code}${(error as Error).message}`);
    process.stderr.write(`${hideSecrets(line, secretsOf(program))}\n`);
    return code === "" ? 2 : 1;
  }
}

/** The secrets in the options of the program and of the verb that ran. */
const secretsOf = (program: Command): Secrets =>
  Object.assign({}, program.opts<Secrets>(), ...program.commands.map((verb) => verb.opts()));

/** Creates the whole command line, without running it. */
export function createProgram(): Command {
  const program = new Command("escapement")
    .description(
      "See and steer durable workflows: over their HTTP API, or straight at their database.",
    )
    .version(VERSION)
    .addOption(new Option("--url <url>", "address of the HTTP API").env("ESCAPEMENT_URL"))
    .addOption(
      new Option(
        "--token <token>",
        "for the API, or for a libSQL server; better in the environment, which lists of processes do not show",
      ).env("ESCAPEMENT_TOKEN"),
    )
    .addOption(new Option("--db <database>", "the database, instead of a URL").env("ESCAPEMENT_DB"))
    .addOption(
      new Option("--engine <module>", "module that exports your engine, instead of a URL").env(
        "ESCAPEMENT_ENGINE",
      ),
    )
    .option("--timeout <seconds>", "longest wait for an answer", toTimeout, DEFAULT_TIMEOUT)
    .option("--json", "print the answer as JSON")
    .addHelpText("after", HELP)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: (text, write) => write(toPlainError(text)) })
    .showHelpAfterError("(add --help for what there is)")
    .exitOverride();
  for (const add of COMMANDS) add(program);
  return program;
}

/** The message of commander. The value of an unknown option may be a secret: `--tokne=…`. */
const toPlainError = (text: string): string =>
  `${text
    .trimEnd()
    .split("\n")
    .map((line) => toPlainText(line.replace(/^(error: unknown option '[^=']+)=.*'/, "$1'")))
    .join("\n")}\n`;

function toTimeout(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= MAX_TIMEOUT))
    throw new InvalidArgumentError(`Seconds are wanted, above 0 and up to ${MAX_TIMEOUT}.`);
  return seconds;
}
