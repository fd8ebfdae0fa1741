/** `escapement bulk`: one command for many instances, as a job that runs by itself. */
import type { Command } from "commander";
import { ask, type Bulk, type BulkList, type BulkPreview, type Send } from "./client.ts";
import { confirm } from "./confirm.ts";
import { UsageError } from "./errors.ts";
import { toCountUpTo, toFilter, toId, toList, toParent, toStatuses } from "./option-values.ts";
import { renderBulk, renderBulks, renderPreview } from "./render-bulk.ts";
import { withSession } from "./session.ts";
import { addTimes, examples, type FilterOptions, keyOption } from "./verb-parts.ts";
import { hasEnded } from "./watch/has-ended.ts";
import { showLooks, watchOption } from "./watch/watch-option.ts";

type Act = BulkPreview["act"];

const ACTS: Readonly<Record<Act, string>> = {
  retry: "retry failed runs from the steps that failed",
  restart: "run instances again from their beginning",
  pause: "pause instances at their next step boundary",
  resume: "resume paused instances",
  cancel: "ask instances to end",
  terminate: "end instances for good",
  delete: "delete instances that have ended, with their runs and children",
};

const NO_FILTER =
  "which instances? Give at least one of --workflow, --status, --tag, --id-prefix, --error-code, --parent, --stuck, or a time";

/** Adds the verbs. */
export function addBulk(program: Command): void {
  const bulk = program
    .command("bulk")
    .summary("do one thing to many instances")
    .description(
      "Does one thing to every instance that matches, as a job that the engine runs in chunks and continues after a crash.",
    )
    .addHelpText(
      "after",
      examples(
        "bulk retry --status errored --workflow order --dry-run",
        "bulk retry --status errored --workflow order --yes",
        "bulk show 0198f3a1-… --watch",
      ),
    );
  for (const [act, summary] of Object.entries(ACTS)) addAct(bulk, act as Act, summary);
  addJobs(bulk);
}

interface ActOptions extends FilterOptions {
  readonly parent?: object;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly key?: string;
}

function addAct(bulk: Command, act: Act, summary: string): void {
  const verb = bulk
    .command(act)
    .summary(summary)
    .description(`Begins a job: ${summary}. It asks before it begins, unless --yes is given.`)
    .option("--workflow <name>", "only of this workflow; several by commas", toList)
    .option("--status <status>", "several by commas (default: those it can be done to)", toStatuses)
    .option("--tag <tag>", "only with this tag", toFilter)
    .option("--id-prefix <text>", "only ids that begin with this", toFilter)
    .option("--error-code <code>", "only runs that ended with this error", toFilter)
    .option("--parent <workflow/id>", "only children of this instance", toParent)
    .option("--stuck", "only those that should move and do not");
  addTimes(verb)
    .option("--dry-run", "tell what it would do, and do nothing")
    .option("--yes", "begin without asking")
    .addOption(keyOption())
    .addHelpText("after", examples(`bulk ${act} --workflow order --dry-run`))
    .action(async (options: ActOptions, command) => {
      const { dryRun, yes, key, workflow: workflows, ...filter } = options;
      const body = { ...filter, ...(workflows === undefined ? {} : { workflows }) };
      if (Object.keys(body).length === 0) throw new UsageError(NO_FILTER);
      await withSession(command, async ({ send, print, width }) => {
        if (dryRun === true) {
          const preview = await preflight(send, act, body);
          return print(preview, () => renderPreview(preview, width));
        }
        if (yes !== true) {
          const preview = renderPreview(await preflight(send, act, body), width);
          await confirm(preview, "give --dry-run to look, --yes to begin");
        }
        const job = await ask<Bulk>(send, toStart(act, body, key));
        print(job, () => renderBulk(job));
      });
    });
}

const preflight = (send: Send, act: Act, filter: object): Promise<BulkPreview> =>
  ask(send, {
    method: "POST",
    path: ["bulk", "preview"],
    body: { act, ...filter },
    isDryRun: true,
  });

const toStart = (act: Act, filter: Readonly<Record<string, unknown>>, key: string | undefined) =>
  act === "delete"
    ? ({ method: "POST", path: ["bulk", "delete"], body: filter, key } as const)
    : ({ method: "POST", path: ["bulk"], body: { act, ...filter }, key } as const);

function addJobs(bulk: Command): void {
  bulk
    .command("ls")
    .summary("list bulk jobs, newest first")
    .option("--limit <count>", "jobs of a page, 1 to 100 (default: 25)", toCountUpTo(100))
    .option("--cursor <cursor>", "of the page before")
    .action(async ({ limit, cursor }: { limit?: number; cursor?: string }, command) => {
      const query = { pageSize: limit?.toString(), cursor };
      await withSession(command, async ({ send, print, width }) => {
        const found = await ask<BulkList>(send, { method: "GET", path: ["bulk"], query });
        print(found, () => renderBulks(found, width));
      });
    });
  addShowJob(bulk);
  addStopJob(bulk);
}

function addShowJob(bulk: Command): void {
  bulk
    .command("show")
    .summary("show how far a job has come")
    .argument("<job>", "its id", toId)
    .addOption(watchOption())
    .action(async (id: string, { watch }: { readonly watch?: number | true }, command) => {
      await withSession(command, (session) =>
        showLooks(session, watch, async () => {
          const job = await ask<Bulk>(session.send, { method: "GET", path: ["bulk", id] });
          return { answer: job, text: renderBulk(job), hasEnded: hasEnded(job.status) };
        }),
      );
    });
}

function addStopJob(bulk: Command): void {
  bulk
    .command("stop")
    .summary("end a job after its current chunk")
    .argument("<job>", "its id", toId)
    .action(async (id: string, _options: object, command) => {
      await withSession(command, async ({ send, print }) => {
        const job = await ask<Bulk>(send, { method: "POST", path: ["bulk", id, "cancel"] });
        print(job, () => renderBulk(job));
      });
    });
}
