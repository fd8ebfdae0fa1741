/** @module Exports an instance with its history and its family. Loaded with the first export. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { WorkflowError } from "../core/errors.ts";
import type { Limits } from "../core/limits.ts";
import { type InstanceRef, instanceKey } from "../core/model/instance-key.ts";
import { isTerminal } from "../core/model/status.ts";
import { ExportReader } from "../core/move/check-export.ts";
import {
  type ExportEnd,
  type ExportHeader,
  FORMAT,
  FORMAT_VERSION,
  MAX_FAMILY,
  MAX_LINE_LENGTH,
} from "../core/move/format.ts";
import type { MovedRecord } from "../core/move/records.ts";
import { parseInstanceId } from "../core/request-ids.ts";
import type { Family, FamilyMember } from "../ports/move.ts";
import type { HostContext } from "./context.ts";
import { type Reading, readMembers } from "./export-members.ts";
import { changed, notFound, notPaused } from "./refusals.ts";

/**
 * Reads an instance page by page, and yields one line at a time. Lines before an error are not an export, because the end is missing.
 *
 * @throws as `Engine.export`
 */
export async function* exportInstance(
  { limits, store, host }: HostContext,
  { name: workflowName }: RegisteredWorkflow,
  id: string,
): AsyncGenerator<string, void, undefined> {
  const ref = { workflowName, instanceId: parseInstanceId(id, limits) };
  const moving = await store.moving();
  const family = await moving.loadFamily(ref);
  const members = sortFamily(ref, family);
  const lines = new LineWriter(limits);
  yield lines.write({
    kind: "header",
    format: FORMAT,
    version: FORMAT_VERSION,
    exportId: host.newId(),
    exportedAt: await store.now(),
    root: ref,
    workflows: [...new Set(members.map((member) => member.workflowName))],
  });
  const from = { store, moving, ref };
  for await (const record of readMembers(from, members)) {
    let line: string;
    try {
      line = lines.write(record);
    } catch (error) {
      // An instance that has changed meanwhile may not fit an import: then the change is the reason to give.
      await readSameMark(from, family);
      throw error;
    }
    yield line;
  }
  const mark = await readSameMark(from, family);
  if (mark.events !== lines.eventCount) throw changed(ref);
  yield lines.end(mark);
}

/** Reads the mark of a family that nothing has changed. @throws {WorkflowError} INSTANCE_CHANGED */
async function readSameMark({ moving, ref }: Reading, before: Family): Promise<Family["mark"]> {
  const { mark } = await moving.loadFamily(ref);
  const { members, version } = before.mark;
  if (mark.members !== members || mark.version !== version) throw changed(ref);
  return mark;
}

/** Sorts parents before their children. @throws {WorkflowError} INSTANCE_NOT_FOUND, INSTANCE_NOT_PAUSED, BATCH_TOO_LARGE */
function sortFamily(ref: InstanceRef, { members, liveParent }: Family): readonly FamilyMember[] {
  if (members.length === 0) throw notFound(ref);
  if (members.length > MAX_FAMILY)
    throw new WorkflowError("BATCH_TOO_LARGE", `a family of more than ${MAX_FAMILY} instances`, {
      maxInstances: MAX_FAMILY,
    });
  const isItself = (member: InstanceRef): boolean => instanceKey(member) === instanceKey(ref);
  const isLive = ({ status }: FamilyMember): boolean => status !== "paused" && !isTerminal(status);
  const live = members.find((member) => isItself(member) && isLive(member)) ?? members.find(isLive);
  if (live !== undefined) throw notPaused(ref, live);
  if (liveParent !== null) throw notPaused(ref, liveParent);
  const children = new Map<string, FamilyMember[]>();
  for (const member of members) {
    const key = member.parent === null || isItself(member) ? "" : instanceKey(member.parent);
    const siblings = children.get(key) ?? [];
    siblings.push(member);
    children.set(key, siblings);
  }
  const sorted = new Set(members.filter(isItself));
  for (const member of sorted)
    for (const child of children.get(instanceKey(member)) ?? []) sorted.add(child);
  return [...sorted];
}

/** The error of a record that no import would read. It is only possible if limits were raised. */
const tooLarge = (): WorkflowError =>
  new WorkflowError(
    "PAYLOAD_TOO_LARGE",
    `a record is longer than the ${MAX_LINE_LENGTH} characters that a line of an export may have`,
    { maxLength: MAX_LINE_LENGTH },
  );

/** Lines, each read as an import reads it: what no import takes is no export. */
class LineWriter {
  readonly #reader: ExportReader;

  constructor(limits: Limits) {
    this.#reader = new ExportReader(limits);
  }

  get eventCount(): number {
    return this.#reader.counts.event;
  }

  /** @throws {WorkflowError} IMPORT_INVALID, PAYLOAD_TOO_LARGE */
  write(line: ExportHeader | MovedRecord | ExportEnd): string {
    const text = JSON.stringify(line);
    if (text.length >= MAX_LINE_LENGTH) throw tooLarge();
    this.#reader.read(text);
    return `${text}\n`;
  }

  end(source: ExportEnd["source"]): string {
    const { counts, crc32 } = this.#reader;
    return this.write({ kind: "end", counts, source, crc32 });
  }
}
