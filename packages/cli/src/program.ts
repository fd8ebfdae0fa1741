/** The command line: options that every verb has, and what an error becomes. */
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { addCommands } from "./commands.ts";
import { RefusedError, UsageError } from "./errors.ts";
import { hideToken } from "./hide-token.ts";
import { toPlainText } from "./plain-text.ts";
import { VERSION } from "./version.ts";

/** Longest wait for an answer, in seconds. */
const MAX_TIMEOUT = 3600;
const DEFAULT_TIMEOUT = 30;

const HELP = `
Where the engine is:
  over HTTP   ESCAPEMENT_URL=https://host/api/workflows and ESCAPEMENT_TOKEN
  directly    --engine ./dist/engine.js, a module of yours that exports createEngine's engine:
              the command uses its database and workflows, without a server

Examples:
  $ escapement ls --status errored            what failed?
  $ escapement show order o-17                why, and what is it waiting for?
  $ escapement retry order o-17               let it go on
  $ escapement start order '{"sku":"tea"}'

Exit codes: 0 done; 1 refused or failed, with the error's code on standard error; 2 wrong usage.
\`escapement help <command>\` says more, with examples.
`;

/** Runs a command line. @param args without the program @returns the exit code */
export async function run(args: readonly string[]): Promise<0 | 1 | 2> {
  const program = createProgram();
  try {
    await program.parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const code = error instanceof RefusedError ? `${error.code}: ` : "";
    if (code === "" && !(error instanceof UsageError)) throw error;
    const { token } = program.opts<{ readonly token?: string }>();
    const line = toPlainText(`escapement: ${code}${(error as Error).message}`);
    process.stderr.write(`${hideToken(line, token)}\n`);
    return code === "" ? 2 : 1;
  }
}

function createProgram(): Command {
  const program = new Command("escapement")
    .description(
      "See and steer durable workflows: over their HTTP API, or straight at their database.",
    )
    .version(VERSION)
    .addOption(new Option("--url <url>", "of the HTTP API").env("ESCAPEMENT_URL"))
    .addOption(
      new Option(
        "--token <token>",
        "for the API; better in the environment, which lists of processes do not show",
      ).env("ESCAPEMENT_TOKEN"),
    )
    .addOption(
      new Option("--engine <module>", "module that exports an engine, instead of a URL").env(
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
  addCommands(program);
  return program;
}

/** What commander says is wrong. The value of an option that it does not know may be a secret: \`--tokne=…\`. */
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
