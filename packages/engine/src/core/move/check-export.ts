/** Reads an export line by line, and refuses what no engine would have written: in a single record, or in how records fit together. */
import { attempt } from "../attempt.ts";
import { WorkflowError } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { type InstanceRef, instanceKey } from "../model/instance-key.ts";
import { addToCrc32, toCrc32Text } from "./crc32.ts";
import { invalidRecord, isObject } from "./fields.ts";
import {
  type ExportCounts,
  type ExportEnd,
  type ExportHeader,
  MAX_FAMILY,
  MAX_LINE_LENGTH,
  FORMAT,
} from "./format.ts";
import { MemberCheck } from "./member-check.ts";
import { createRecordChecks, type RecordChecks } from "./record-checks.ts";
import type { MovedRecord } from "./records.ts";

/** The kind of a line, and its content. */
export type ReadLine =
  | { readonly kind: "header"; readonly header: ExportHeader }
  | { readonly kind: "record"; readonly of: InstanceRef; readonly record: MovedRecord }
  | { readonly kind: "end"; readonly header: ExportHeader; readonly end: ExportEnd };

/** Reads a file of one or more exports. */
export class ExportReader {
  readonly #checks: RecordChecks;
  readonly #encoder = new TextEncoder();
  #header: ExportHeader | null = null;
  /** The current run number of each instance, by its key. */
  #members: Map<string, number> = new Map();
  #member: MemberCheck | null = null;
  #counts = { instance: 0, step: 0, event: 0, progress: 0 };
  #crc = 0;
  #line = 0;

  constructor(limits: Limits) {
    this.#checks = createRecordChecks(limits);
  }

  /** The number of the last line that was read, from 1. */
  get line(): number {
    return this.#line;
  }

  /** Whether an export has begun and not ended. */
  get isOpen(): boolean {
    return this.#header !== null;
  }

  /** The records read so far from the open export. */
  get counts(): ExportCounts {
    return { ...this.#counts };
  }

  /** The CRC-32 of the lines read so far from the open export, as its last line gives it. */
  get crc32(): string {
    return toCrc32Text(this.#crc);
  }

  /** @param text the line without its line break @throws {WorkflowError} IMPORT_INVALID */
  read(text: string): ReadLine {
    this.#line += 1;
    try {
      if (text.length > MAX_LINE_LENGTH)
        throw invalidRecord("the line", `${MAX_LINE_LENGTH} characters at most`);
      return this.#read(
        text,
        attempt<unknown>(() => JSON.parse(text), undefined),
      );
    } catch (error) {
      throw this.refuse(error);
    }
  }

  /** Adds the line number to an error. */
  refuse(error: unknown): unknown {
    if (!WorkflowError.is(error) || error.code !== "IMPORT_INVALID") return error;
    const { details, message } = error;
    if (details["line"] !== undefined) return error;
    // In an empty file no line was read.
    const line = Math.max(this.#line, 1);
    return new WorkflowError("IMPORT_INVALID", `line ${line}: ${message}`, { ...details, line });
  }

  #read(text: string, value: unknown): ReadLine {
    const isExport = this.#header !== null || (isObject(value) && value["format"] === FORMAT);
    if (!isExport) throw invalidRecord("the file", "one that export wrote");
    if (!isObject(value)) throw invalidRecord("the line", "a JSON object");
    const kind = Object.hasOwn(value, "kind") ? value["kind"] : undefined;
    if (this.#header === null) return this.#begin(text, value);
    if (kind === "end") return this.#end(this.#header, value);
    this.#addToCrc(text);
    switch (kind) {
      case "instance":
        return this.#instance(this.#header, value);
      case "step":
      case "event":
      case "progress":
        return this.#part(kind, value);
      default:
        throw invalidRecord("kind", "instance, step, event, progress or end", kind);
    }
  }

  #begin(text: string, value: unknown): ReadLine {
    const header = this.#checks.header(value, "");
    if (new Set(header.workflows).size < header.workflows.length)
      throw invalidRecord("workflows", "each name once");
    this.#header = header;
    this.#members = new Map();
    this.#member = null;
    this.#counts = { instance: 0, step: 0, event: 0, progress: 0 };
    this.#crc = 0;
    this.#addToCrc(text);
    return { kind: "header", header };
  }

  #addToCrc(text: string): void {
    this.#crc = addToCrc32(this.#crc, this.#encoder.encode(`${text}\n`));
  }

  #instance({ root, workflows }: ExportHeader, value: unknown): ReadLine {
    this.#member?.end();
    const record = this.#checks.instance(value, "");
    const key = instanceKey(record);
    if (!workflows.includes(record.workflowName))
      throw invalidRecord("workflowName", "a workflow of the header");
    if (this.#members.has(key)) throw invalidRecord("instanceId", "each instance once");
    if (this.#members.size >= MAX_FAMILY)
      throw invalidRecord("the export", `${MAX_FAMILY} instances at most`);
    const isRoot = this.#members.size === 0;
    if (isRoot && key !== instanceKey(root))
      throw invalidRecord("the first instance", "the root of the header");
    const parentRun =
      record.parent === null ? null : (this.#members.get(instanceKey(record.parent)) ?? 0);
    if (
      isRoot
        ? parentRun !== null
        : parentRun === null || parentRun < (record.parent?.runNumber ?? 0)
    )
      throw invalidRecord(
        "parent",
        isRoot ? "null for the root" : "a run of an instance before it",
      );
    this.#members.set(key, record.runNumber);
    this.#member = new MemberCheck(record);
    this.#counts.instance += 1;
    return { kind: "record", of: record, record };
  }

  #part(kind: "step" | "event" | "progress", value: unknown): ReadLine {
    const record = this.#checks[kind](value, "");
    if (this.#member === null) throw invalidRecord("kind", "an instance first", kind);
    this.#member.add(record);
    this.#counts[kind] += 1;
    return { kind: "record", of: this.#member.instance, record };
  }

  #end(header: ExportHeader, value: unknown): ReadLine {
    const end = this.#checks.end(value, "");
    if (this.#member === null) throw invalidRecord("kind", "an instance first", "end");
    this.#member.end();
    for (const kind of ["instance", "step", "event", "progress"] as const)
      if (end.counts[kind] !== this.#counts[kind])
        throw invalidRecord(
          `counts.${kind}`,
          `${this.#counts[kind]}, as there are`,
          end.counts[kind],
        );
    if (end.crc32 !== this.crc32)
      throw invalidRecord("crc32", `${this.crc32}, as the lines come to`);
    this.#header = null;
    return { kind: "end", header, end };
  }
}
