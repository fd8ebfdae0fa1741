/** `escapement tick`: one tick of an engine in the command's own process. */
import type { Command } from "commander";
import type { Engine } from "@escapement/engine";
import { UsageError } from "./errors.ts";
import { toCount } from "./option-values.ts";
import { withSession } from "./session.ts";
import { examples } from "./verb-parts.ts";
import { readOptions } from "./ways.ts";

interface TickOptions {
  readonly maxInstances?: number;
  readonly maxSteps?: number;
}

/** Adds the verb. */
export function addTick(program: Command): void {
  program
    .command("tick")
    .summary("run what is due once, with a module's engine")
    .description("Runs one tick in this process, with the code of the module that --engine names.")
    .option("--max-instances <count>", "instances to advance at most (default: 100)", toCount)
    .option("--max-steps <count>", "bodies of steps to start at most", toCount)
    .addHelpText("after", examples("--engine ./dist/engine.js tick"))
    .action(async (options: TickOptions, command: Command) => {
      // An engine on a database alone has no code, so its runs would fail.
      if (readOptions(command).engine === undefined)
        throw new UsageError(
          "a tick runs your code: give --engine <module>, the file that exports your engine. A database has no code, and a server ticks itself: POST <its API>/_runner/tick with its secret",
        );
      await withSession(command, async ({ engine, print }) => {
        if (engine === null) return;
        const stop = new AbortController();
        // Running bodies end by themselves; a second Ctrl-C ends the process.
        process.once("SIGINT", () => stop.abort());
        const ticked = await engine.tick({ ...options, lingerMs: 0, signal: stop.signal });
        print(ticked, () => render(ticked));
      });
    });
}

type Ticked = Pick<Awaited<ReturnType<Engine["tick"]>>, "processed" | "moreDue" | "nextWakeInMs">;

function render({ processed, moreDue, nextWakeInMs }: Ticked): string {
  const done = `${processed} ${processed === 1 ? "instance" : "instances"} advanced`;
  if (moreDue) return `${done}; more is due.\n`;
  if (nextWakeInMs === null) return `${done}; nothing waits for a time.\n`;
  return `${done}; the next is due in ${Math.ceil(nextWakeInMs / 1000)} s.\n`;
}
