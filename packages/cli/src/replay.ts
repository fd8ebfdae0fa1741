/** `escapement replay`: replays a database or an export file against code that is about to be deployed. */
import { createReadStream } from "node:fs";
import { type Command, Option } from "commander";
import type { ReplayReport } from "@escapement/engine/testing";
import { FoundError, RefusedError, UsageError } from "./errors.ts";
import { isExportFile } from "./export-file.ts";
import { toCount, toList, toStatuses } from "./option-values.ts";
import { toPlainText } from "./plain-text.ts";
import { toOutput } from "./session.ts";
import { toTable } from "./table.ts";
import { loadWorkflows, type UserWorkflows } from "./user-workflows.ts";
import { readOptions, type SharedOptions } from "./ways.ts";

interface ReplayCommandOptions {
  readonly from?: string;
  readonly module: string;
  readonly workflow?: readonly string[];
  readonly status?: readonly string[];
  readonly limit?: number;
  readonly strict?: boolean;
}

const DEFAULT_LIMIT = 10_000;

const HELP = `
Runs the module's code over the history of each stored instance, up to where that history ends. Nothing is written, and no body
of a step is started. What your code does outside of steps, it does here, too.

Exit codes: 0 nothing diverges; 1 something does; 2 wrong usage; 3 with --strict, nothing diverges, but some were not
replayed: there are more than --limit, or the module does not export their workflow.

Examples:
  $ escapement replay --from "$DATABASE_URL" --module ./src/workflows.ts
  $ escapement replay --from ./data.db --module ./dist/workflows.js --status queued,running,waiting,paused --strict
  $ escapement replay --from ./o-17.jsonl --module ./src/workflows.ts
`;

/** Adds the verb. */
export function addReplay(program: Command): void {
  program
    .command("replay")
    .summary("check what is stored against new code, before a deploy")
    .description("Replays stored instances with new code, and says where the two disagree.")
    .addOption(
      new Option(
        "--from <source>",
        "a database, as --db, or a file that export wrote; - reads it from standard input (default: that of --db)",
      ),
    )
    .requiredOption("--module <file>", "exports the workflows, in JavaScript or TypeScript")
    .option("--workflow <name>", "only of this workflow; several by commas", toList)
    .option("--status <status>", "only in this status; several by commas", toStatuses)
    .option(
      "--limit <count>",
      `instances at most, the newest first (default: ${DEFAULT_LIMIT})`,
      toCount,
    )
    .option("--strict", "fail, with 3, if some instances were not replayed")
    .addHelpText("after", HELP)
    .action(async (options: ReplayCommandOptions, command: Command) => {
      const report = await replay(options, command);
      const { print, width } = toOutput(command);
      const { text: _text, ...answer } = report;
      print(answer, () => renderReport(report, width));
      if (report.divergedCount > 0) throw new FoundError();
      if (options.strict === true && isPart(report)) throw new FoundError(3);
    });
}

/** With the workflows that the database has, and the module has not. */
interface Report extends ReplayReport {
  readonly notInModule?: readonly string[];
}

const isPart = ({ mayHaveMore, notInModule = [] }: Report): boolean =>
  mayHaveMore || notInModule.length > 0;

async function replay(options: ReplayCommandOptions, command: Command): Promise<Report> {
  const shared = readOptions(command);
  const from = options.from ?? shared.db;
  if (from === undefined)
    throw new UsageError("what is replayed? Give --from <database or file>, or --db");
  const isExport = from === "-" || isExportFile(from);
  const { workflow, status, limit } = options;
  if (isExport && (workflow ?? status ?? limit) !== undefined)
    throw new UsageError(
      "--workflow, --status and --limit choose from a database: a file is replayed whole",
    );
  const code = await loadWorkflows(options.module);
  const { toRefusal } = await import("./database/to-refusal.ts");
  try {
    return await (isExport ? replayFile(from, code) : replayDatabase(from, code, options, shared));
  } catch (error) {
    throw toRefusal(error);
  }
}

async function replayFile(path: string, code: UserWorkflows): Promise<ReplayReport> {
  const { replayExport } = await import("@escapement/engine/testing/replay");
  const chunks = path === "-" ? process.stdin : createReadStream(path);
  const report = await replayExport({ ...code, chunks });
  // A pipeline must not pass if its export failed before the first line.
  if (report.replayedCount > 0) return report;
  throw new RefusedError("IMPORT_INVALID", "there is no export in it: it is empty");
}

async function replayDatabase(
  db: string,
  code: UserWorkflows,
  options: ReplayCommandOptions,
  shared: SharedOptions,
): Promise<Report> {
  const { openStore } = await import("./database/open-store.ts");
  const { findOtherWorkflows } = await import("./database/other-workflows.ts");
  const { replayHistories } = await import("@escapement/engine/testing/replay");
  const store = await openStore(db, shared);
  try {
    const report = await replayHistories({
      ...code,
      store,
      instances: toFilters(options),
      maxInstances: options.limit ?? DEFAULT_LIMIT,
    });
    if (options.workflow !== undefined) return report;
    const exported = new Set(Object.values(code.workflows).map(({ name }) => name));
    const { status } = toFilters(options);
    return { ...report, notInModule: await findOtherWorkflows(db, shared, { exported, status }) };
  } finally {
    await store.close();
  }
}

/** Statuses are checked where they are read. */
const toFilters = ({ workflow, status }: ReplayCommandOptions) => ({
  ...(workflow === undefined ? {} : { workflows: workflow }),
  ...(status === undefined ? {} : { status: status as never }),
});

const COLUMNS = ["WORKFLOW", "STEP", "INSTANCES", "FOR EXAMPLE", "WHAT"].map((title) => ({
  title,
  mayBeCut: false,
}));

/** The most places in a table. */
const MOST = 100;

function renderReport(report: Report, width: number | null): string {
  const { replayedCount, divergedCount, places, changedEndCount } = report;
  const { mayHaveMore, notInModule = [] } = report;
  const [changed] = report.changedEnds;
  const shown = places.slice(0, MOST);
  const rows = shown.map(({ workflowName, stepKey, instanceCount, instanceId, message }) => [
    workflowName,
    stepKey ?? "",
    String(instanceCount),
    instanceId,
    message,
  ]);
  return [
    divergedCount === 0 ? "" : toTable(COLUMNS, rows, width),
    shown.length < places.length ? "…\n" : "",
    `${replayedCount} replayed, ${divergedCount} diverged, ${changedEndCount} would end in another way.\n`,
    changed === undefined
      ? ""
      : toPlainText(
          `For example ${changed.workflowName} ${changed.instanceId}: ${changed.message}. --json names each.`,
        ) + "\n",
    mayHaveMore ? "There may be more, which were not replayed: raise --limit.\n" : "",
    notInModule.length === 0 ? "" : toPlainText(`${NOT_IN_MODULE}${notInModule.join(", ")}`) + "\n",
    divergedCount === 0 ? "" : toPlainText(ADVICE) + "\n",
  ].join("");
}

const NOT_IN_MODULE = "The database has instances of these too, which the module does not export: ";
const ADVICE =
  "What diverges fails or goes another way once this code is deployed. Give steps their old names back, or see step.version and step.removed. --json names each instance, up to a thousand divergences.";
