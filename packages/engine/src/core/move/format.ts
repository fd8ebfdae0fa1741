/** The file of an export: lines of JSON, a header first, then each instance with what belongs to it, and an end that counts them. */
import type { InstanceRef } from "../model/instance-key.ts";
import type { EpochMs } from "../model/records.ts";

/** What the first line says of the rest. */
export const FORMAT = "escapement-export";
/** Raised by a change that an older reader cannot read. */
export const FORMAT_VERSION = 1;

/** Characters of a line: the texts of one record, of a megabyte each, with what JSON adds. */
export const MAX_LINE_LENGTH = 16_777_216;
/** Instances of one export: what a database takes as one transaction. */
export const MAX_FAMILY = 50_000;
/** Workflows of one family. */
export const MAX_WORKFLOWS = 1000;
/** Steps, and events, of one instance. */
export const MAX_PARTS = 200_000;

/** The first line. */
export interface ExportHeader {
  readonly kind: "header";
  readonly format: typeof FORMAT;
  readonly version: typeof FORMAT_VERSION;
  /** Names this export: 8 to 40 letters, digits, `_` and `-`. */
  readonly exportId: string;
  /** Time of the database that it comes from. */
  readonly exportedAt: EpochMs;
  /** The instance that was asked for: the first one of the file. */
  readonly root: InstanceRef;
  /** Names of the workflows whose instances follow, each once. */
  readonly workflows: readonly string[];
}

/** The last line. */
export interface ExportEnd {
  readonly kind: "end";
  /** How many records of each kind there were. */
  readonly counts: ExportCounts;
  /** What the family was like when it was read: see `FamilyMark`. For the store that it comes from. */
  readonly source: Readonly<Record<"members" | "version" | "events", number>>;
  /** CRC-32 of all lines before this one, their ends among them: eight hexadecimal digits. */
  readonly crc32: string;
}

export type ExportCounts = Readonly<Record<"instance" | "step" | "event" | "progress", number>>;
