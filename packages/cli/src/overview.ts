/** `escapement runners` and `escapement callbacks`: which process holds which runs, and which callbacks are open. */
import type { Command } from "commander";
import { ask, type Callbacks, type Leases } from "./client.ts";
import { toCountUpTo, toList } from "./option-values.ts";
import { renderCallbacks, renderRunners } from "./render-overview.ts";
import { withSession } from "./session.ts";
import { examples, type LookOptions } from "./verb-parts.ts";
import { showLooks, watchOption } from "./watch/watch-option.ts";

/** Adds the verbs. */
export function addOverview(program: Command): void {
  program
    .command("runners")
    .summary("list which processes hold which runs")
    .description("Lists which processes hold which runs now, and until when, overdue ones first.")
    .option("--workflow <name>", "only of this workflow; several by commas", toList)
    .option("--limit <count>", "leases to show, 1 to 1000 (default: 100)", toCountUpTo(1000))
    .addOption(watchOption())
    .addHelpText("after", examples("runners", "runners --watch"))
    .action(async ({ workflow, limit, watch }: LookOptions, command) => {
      const query = { workflows: workflow?.join(","), limit: limit?.toString() };
      await withSession(command, (session) =>
        showLooks(session, watch, async () => {
          const call = { method: "GET", path: ["leases"], query } as const;
          const answer = await ask<Leases>(session.send, call);
          return { answer, text: renderRunners(answer, session.width), hasEnded: false };
        }),
      );
    });
  addCallbacks(program);
}

function addCallbacks(program: Command): void {
  program
    .command("callbacks")
    .summary("list callbacks that nobody has used yet")
    .description("Lists callbacks that nobody has used yet, those of the oldest instances first.")
    .option("--workflow <name>", "only of this workflow; several by commas", toList)
    .option("--limit <count>", "callbacks of a page, 1 to 100 (default: 25)", toCountUpTo(100))
    .option("--cursor <cursor>", "of the page before")
    .addOption(watchOption())
    .addHelpText("after", examples("callbacks", "callbacks --workflow order"))
    .action(async ({ workflow, limit, cursor, watch }: LookOptions, command) => {
      const query = { workflows: workflow?.join(","), pageSize: limit?.toString(), cursor };
      await withSession(command, (session) =>
        showLooks(session, watch, async () => {
          const call = { method: "GET", path: ["open-callbacks"], query } as const;
          const answer = await ask<Callbacks>(session.send, call);
          return { answer, text: renderCallbacks(answer, session.width), hasEnded: false };
        }),
      );
    });
}
