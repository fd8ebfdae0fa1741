/** `escapement show`: everything that is known of one run. */
import { type Command, Option } from "commander";
import { ask, type Described, type History, type Send } from "./client.ts";
import { toCount, toId, toName } from "./option-values.ts";
import { renderInstance } from "./render.ts";
import { withSession } from "./session.ts";
import { toPath } from "./verb-parts.ts";
import { hasEnded } from "./watch/has-ended.ts";
import { showLooks, watchOption } from "./watch/watch-option.ts";

interface ShowOptions {
  readonly run?: number;
  readonly payloads: "small" | "full";
  readonly watch?: number | true;
}

const HELP = `
A run that waits has a part "Waiting": what each open wait waits for, and until when.
Steps are named by their place, as \`rewind\` takes them. Times are UTC.
Commands act on the present run: with --if-run and the run that you have seen, on no other.

Examples:
  $ escapement show order o-17
  $ escapement show order o-17 --run 1 --json
  $ escapement show order o-17 --watch
`;

/** Adds the verb. */
export function addShow(program: Command): void {
  program
    .command("show")
    .summary("show an instance with its steps, waits and events")
    .description("Shows an instance: its state, its steps, what it waits for, and its events.")
    .argument("<workflow>", "name of the workflow", toName)
    .argument("<id>", "of the instance", toId)
    .option("--run <number>", "steps and events of this run (default: the present one)", toCount)
    .addOption(
      new Option("--payloads <which>", "values of at most 16 KiB, or all")
        .choices(["small", "full"])
        .default("small"),
    )
    .addOption(watchOption())
    .addHelpText("after", HELP)
    .action(async (workflow: string, id: string, options: ShowOptions, command) => {
      const path = toPath(workflow, id);
      await withSession(command, (session) =>
        showLooks(session, options.watch, async () => {
          const { send, width } = session;
          const call = { method: "GET", path: [...path, "describe"] } as const;
          const instance = await ask<Described>(send, call);
          // The run whose state was just read, even if the instance is restarted meanwhile.
          const run = options.run ?? instance.details.runNumber;
          const history = await readHistory(send, [...path, "history"], { ...options, run });
          return {
            answer: { ...instance, ...history },
            text: renderInstance(workflow, instance, history, width),
            hasEnded: hasEnded(instance.details.status),
          };
        }),
      );
    });
}

/** All pages of one run's history. */
async function readHistory(
  send: Send,
  path: readonly string[],
  { run, payloads }: Pick<ShowOptions, "payloads"> & { readonly run: number },
): Promise<Pick<History, "runNumber" | "steps" | "events">> {
  const pages: History[] = [];
  let cursor: string | undefined;
  do {
    const query = { runNumber: String(run), payloads, cursor };
    const page = await ask<History>(send, { method: "GET", path, query });
    pages.push(page);
    cursor = page.hasNextPage ? page.cursor : undefined;
  } while (cursor !== undefined);
  return {
    runNumber: run,
    steps: pages.flatMap(({ steps }) => steps),
    events: pages.flatMap(({ events }) => events),
  };
}
