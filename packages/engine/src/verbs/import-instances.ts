/** @module Imports instances with their histories, and closes those that were moved. Loaded with the first call of either. */
import type { FindWorkflow } from "../authoring/find-workflow.ts";
import { WorkflowError } from "../core/errors.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import { ExportReader } from "../core/move/check-export.ts";
import type { ExportEnd, ExportHeader } from "../core/move/format.ts";
import type { ExportChunks, MovedFamily, MovingStore } from "../ports/move.ts";
import type { HostContext } from "./context.ts";
import { readLines } from "./export-lines.ts";
import { Import } from "./import.ts";
import { alreadyExists, changed } from "./refusals.ts";

/**
 * Reads line by line. The staged records become instances when a whole export was read.
 *
 * @throws as `Engine.import`
 */
export async function importInstances(
  { limits, store, host }: HostContext,
  find: FindWorkflow,
  chunks: ExportChunks,
): Promise<readonly MovedFamily[]> {
  const moving = await store.moving();
  const reader = new ExportReader(limits);
  const families: MovedFamily[] = [];
  let running: Import | null = null;
  try {
    for await (const text of readLines(chunks)) {
      const line = reader.read(text);
      if (line.kind === "header") {
        for (const name of line.header.workflows) find(name);
        running = new Import(moving, line.header, host.newId);
        await running.begin();
      } else if (line.kind === "record") await running?.add(line.of, line.record);
      else {
        await finish(running, line);
        running = null;
        families.push(toFamily(line));
      }
    }
    assertEnded(reader, families.length);
  } catch (error) {
    await running?.discard().catch(() => undefined);
    throw withImportedCount(reader.refuse(error), families.length);
  }
  return families;
}

/** Adds to an error how many exports were imported before the one that was refused. */
function withImportedCount(error: unknown, importedCount: number): unknown {
  if (importedCount === 0 || !WorkflowError.is(error)) return error;
  const message = `${error.message}; exports before it in the file that are imported: ${importedCount}`;
  return new WorkflowError(error.code, message, { ...error.details, importedCount }, error.cause);
}

interface Ended {
  readonly header: ExportHeader;
  readonly end: ExportEnd;
}

async function finish(running: Import | null, { end }: Ended): Promise<void> {
  const result = await running?.finish(end.counts);
  if (result?.kind === "exists") throw alreadyExists(result.instance);
  if (result?.kind === "incomplete")
    throw new WorkflowError(
      "IMPORT_INVALID",
      "another import of this export is under way, or the store has rows of it already",
    );
}

const toFamily = ({ header: { root }, end }: Ended): MovedFamily => ({
  workflowName: root.workflowName,
  id: root.instanceId,
  instanceCount: end.counts.instance,
});

/** @param count how many exports were read completely @throws {WorkflowError} IMPORT_INVALID */
export function assertEnded(reader: ExportReader, count: number): void {
  if (!reader.isOpen && count > 0) return;
  throw new WorkflowError(
    "IMPORT_INVALID",
    count === 0 && !reader.isOpen
      ? "the file has no export"
      : "the export is incomplete: it was cut off",
  );
}

/** @throws as `Engine.closeMoved` */
export async function closeMoved(
  { limits, store }: HostContext,
  chunks: ExportChunks,
): Promise<readonly MovedFamily[]> {
  const moving = await store.moving();
  const reader = new ExportReader(limits);
  const families: MovedFamily[] = [];
  try {
    for await (const text of readLines(chunks)) {
      const line = reader.read(text);
      if (line.kind === "end") families.push(await close(moving, line));
    }
    assertEnded(reader, families.length);
  } catch (error) {
    throw reader.refuse(error);
  }
  return families;
}

async function close(moving: MovingStore, { header, end }: Ended): Promise<MovedFamily> {
  const root: InstanceRef = header.root;
  const result = await moving.closeMoved(root, end.source);
  if (result.kind === "changed") throw changed(root);
  return { workflowName: root.workflowName, id: root.instanceId, instanceCount: result.count };
}
