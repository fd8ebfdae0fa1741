/** Replays what files of exports hold against the code of this process: histories of a database that it does not reach. */
import { DEFAULT_LIMITS } from "../../core/limits.ts";
import type { InstanceRef } from "../../core/model/instance-key.ts";
import { ExportReader } from "../../core/move/check-export.ts";
import type { ExportChunks } from "../../ports/move.ts";
import { createMemoryStore } from "../../stores/memory/index.ts";
import { createEngine } from "../../verbs/engine.ts";
import { readLines } from "../../verbs/export-lines.ts";
import { createReplay, type ReplayedCode } from "./replay-run.ts";
import { ReplayNotes, type ReplayReport } from "./report.ts";
import { readRun } from "./stored-run.ts";

/** The code to replay with, and the file. */
export interface ReplayExportOptions extends ReplayedCode {
  /** The content of the file: text or bytes, split anywhere. One export, or several in a row. */
  readonly chunks: ExportChunks;
}

/**
 * Replays the current run of each instance in a file that `engine.export` wrote, as `replayHistories` does with a store. One
 * instance with its children is in memory at a time.
 *
 * @throws {WorkflowError} IMPORT_INVALID, WORKFLOW_NOT_FOUND
 */
export async function replayExport({
  chunks,
  ...code
}: ReplayExportOptions): Promise<ReplayReport> {
  const notes = new ReplayNotes();
  const replay = createReplay(code);
  const reader = new ExportReader({ ...DEFAULT_LIMITS, ...code.limits });
  for await (const { lines, refs } of readFamilies(reader, chunks)) {
    const store = createMemoryStore();
    await createEngine({ ...code, store }).import(lines);
    for (const { workflowName, instanceId } of refs) {
      const stored = await readRun(store, workflowName, instanceId);
      if (stored === null) continue;
      const replayed = await replay(stored);
      notes.add(stored, replayed, notes.compare(stored, replayed));
    }
  }
  return notes.toReport();
}

interface FamilyLines {
  readonly lines: readonly string[];
  readonly refs: readonly InstanceRef[];
}

async function* readFamilies(
  reader: ExportReader,
  chunks: ExportChunks,
): AsyncGenerator<FamilyLines, void, undefined> {
  let lines: string[] = [];
  let refs: InstanceRef[] = [];
  for await (const text of readLines(chunks)) {
    const line = reader.read(text);
    lines.push(`${text}\n`);
    if (line.kind === "record" && line.record.kind === "instance") refs.push(line.of);
    if (line.kind !== "end") continue;
    yield { lines, refs };
    lines = [];
    refs = [];
  }
  // A file without an end is refused as it is on import.
  if (lines.length > 0) yield { lines, refs: [] };
}
