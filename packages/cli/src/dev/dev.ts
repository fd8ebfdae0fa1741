/** `escapement dev`: runs a workflow file with a database, the dashboard and reload, on this machine. */
import { relative } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { readOptions } from "../ways.ts";

interface DevCommandOptions {
  readonly port?: number;
  readonly underSupervision?: true;
}

const DEFAULT_FILE = ".escapement/dev.db";

const HELP = `
The file exports workflows made with defineWorkflow, one by one or as a record. It may export topics, too. If your project has
tsx, that reads the file, otherwise Node does (22.18 and newer). When code in your project changes, the file starts again, and
instances continue where they were, as after a deploy.

Use it for development only: there is no sign-in, and the dashboard may do everything. Only this machine can reach it.

Examples:
  $ escapement dev ./src/workflows.ts
  $ escapement dev ./src/workflows.ts --db postgres://localhost/dev --port 3000
  $ escapement --url http://127.0.0.1:4040/api/workflows start order '{"sku":"tea"}'
`;

/** Adds the verb. */
export function addDev(program: Command): void {
  program
    .command("dev")
    .summary("run a workflow file with a database, reload and the dashboard")
    .description(
      "Runs a workflow file on this machine, with an embedded database and the dashboard, and restarts it when code changes.",
    )
    .argument("<file>", "exports workflows, in TypeScript or JavaScript")
    .option("--port <port>", "of the server (default: 4040, or another that is free)", toPort)
    .addOption(new Option("--under-supervision").hideHelp())
    .addHelpText("after", HELP)
    .action(async (file: string, options: DevCommandOptions, command: Command) => {
      const { db, token, timeout } = readOptions(command);
      const path = relative(process.cwd(), file) || file;
      const settings = {
        file: path,
        port: options.port ?? null,
        db: db ?? DEFAULT_FILE,
        token,
        timeout,
      };
      if (options.underSupervision === true) {
        const { runFile } = await import("./run-file.ts");
        await runFile(settings);
      } else {
        const { supervise } = await import("./supervise.ts");
        await supervise(settings);
      }
    });
}

const MAX_PORT = 65_535;

function toPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= MAX_PORT) return Number(text);
  throw new InvalidArgumentError(`Expected a port from 0 to ${MAX_PORT}.`);
}
