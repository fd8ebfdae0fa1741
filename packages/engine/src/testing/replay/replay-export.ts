/** Replays the histories in export files against the code of this process, without access to their database. */
import { DEFAULT_LIMITS } from "../../core/default-limits.ts";
import { ExportReader } from "../../core/move/check-export.ts";
import type { ExportChunks } from "../../ports/move.ts";
import { readLines } from "../../verbs/export-lines.ts";
import { assertEnded } from "../../verbs/import-instances.ts";
import { ReplayPool } from "./replay-pool.ts";
import { createReplay, type ReplayedCode } from "./replay-run.ts";
import { ReplayNotes, type ReplayReport } from "./report.ts";
import { addStep, type RunSoFar, type StoredRun, toRun } from "./stored-run.ts";

/** The code to replay with, and the file. */
export interface ReplayExportOptions extends ReplayedCode {
  /** The content of the file: text or bytes, split anywhere. One export, or several in a row. */
  readonly chunks: ExportChunks;
}

/**
 * Replays the current run of each instance in a file that `engine.export` wrote, as `replayHistories` does with a store. It holds one run
 * in memory at a time, besides those whose code waits for something that is not a step.
 *
 * @throws {WorkflowError} IMPORT_INVALID, WORKFLOW_NOT_FOUND
 */
export async function replayExport({
  chunks,
  ...code
}: ReplayExportOptions): Promise<ReplayReport> {
  const notes = new ReplayNotes();
  const { find } = createReplay(code);
  const pool = new ReplayPool(() => createReplay(code).replay);
  const reader = new ExportReader({ ...DEFAULT_LIMITS, ...code.limits });
  try {
    for await (const stored of readRuns(reader, { chunks, find }))
      await pool.run(async (replay) => {
        const replayed = await replay(stored);
        notes.add(stored, replayed, notes.compare(stored, replayed));
      });
    await pool.end();
  } catch (error) {
    throw reader.refuse(error);
  }
  return notes.toReport();
}

interface File {
  readonly chunks: ExportChunks;
  /** @throws {WorkflowError} WORKFLOW_NOT_FOUND */
  readonly find: (workflowName: string) => unknown;
}

/** The current runs, each once its last line is read. If there is an error, the file is not whole, and the earlier runs do not count. */
async function* readRuns(
  reader: ExportReader,
  { chunks, find }: File,
): AsyncGenerator<StoredRun, void, undefined> {
  let run: RunSoFar | null = null;
  let exportCount = 0;
  for await (const text of readLines(chunks)) {
    const line = reader.read(text);
    if (line.kind === "header") for (const name of line.header.workflows) find(name);
    if (line.kind === "record" && line.record.kind === "step") addStep(run, line.record);
    const isInstance = line.kind === "record" && line.record.kind === "instance";
    if (run !== null && (isInstance || line.kind === "end")) yield run;
    if (line.kind === "record" && line.record.kind === "instance") run = toRun(line.record);
    if (line.kind === "end") {
      run = null;
      exportCount += 1;
    }
  }
  assertEnded(reader, exportCount);
}
