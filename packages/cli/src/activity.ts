/** `escapement activity`: what ended, failed and was late over the last hour or day. */
import { type Command, Option } from "commander";
import { type Activity, ask } from "./client.ts";
import { toList } from "./option-values.ts";
import { renderActivity } from "./render-activity.ts";
import { withSession } from "./session.ts";
import { examples } from "./verb-parts.ts";
import { showLooks, watchOption } from "./watch/watch-option.ts";

const MINUTE_MS = 60_000;

/** Each has twelve lines. */
const LASTS = {
  hour: { bucketMs: 5 * MINUTE_MS, buckets: 12 },
  day: { bucketMs: 120 * MINUTE_MS, buckets: 12 },
} as const;
type Last = keyof typeof LASTS;

interface ActivityOptions {
  readonly workflow?: readonly string[];
  readonly last: Last;
  readonly watch?: number | true;
}

/** Adds the verb. */
export function addActivity(program: Command): void {
  program
    .command("activity")
    .summary("show how many ended, failed and were late over time")
    .description(
      "Shows how many instances were created, ended and failed over the last hour or day, how long they\n" +
        "waited for their first claim, how late they continued after waits, and what is due now.",
    )
    .option("--workflow <name>", "only of this workflow; several by commas", toList)
    .addOption(
      new Option("--last <span>", "how far back").choices(Object.keys(LASTS)).default("hour"),
    )
    .addOption(watchOption())
    .addHelpText("after", examples("activity", "activity --last day --workflow order"))
    .action(async ({ workflow, last, watch }: ActivityOptions, command) => {
      const { bucketMs, buckets } = LASTS[last];
      const query = {
        workflows: workflow?.join(","),
        bucketMs: String(bucketMs),
        buckets: String(buckets),
      };
      await withSession(command, (session) =>
        showLooks(session, watch, async () => {
          const call = { method: "GET", path: ["activity"], query } as const;
          const answer = await ask<Activity>(session.send, call);
          const text = renderActivity(answer, { last, width: session.width });
          return { answer, text, hasEnded: false };
        }),
      );
    });
}
