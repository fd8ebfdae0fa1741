/** The file of an export: lines of JSON. A header comes first, then each instance with its parts, then a last line that counts them. */
import type { InstanceRef } from "../model/instance-key.ts";
import type { EpochMs } from "../model/records.ts";

/** The value in the first line that identifies the format. */
export const FORMAT = "escapement-export";
/** Raised by a change that an older reader cannot read. */
export const FORMAT_VERSION = 1;

/** In characters: the texts of one record, of a megabyte each, with what JSON adds. */
export const MAX_LINE_LENGTH = 16_777_216;
/** The most instances in one export: as many as a database takes in one transaction. */
export const MAX_FAMILY = 50_000;
/** The most workflows in one family. */
export const MAX_WORKFLOWS = 1000;
/** The most steps, and the most events, of one instance. */
export const MAX_PARTS = 200_000;

/** The first line. */
export interface ExportHeader {
  readonly kind: "header";
  readonly format: typeof FORMAT;
  readonly version: typeof FORMAT_VERSION;
  /** Identifies this export: 8 to 40 letters, digits, `_` and `-`. */
  readonly exportId: string;
  /** Time of the source database. */
  readonly exportedAt: EpochMs;
  /** The instance that was asked for: the first one in the file. */
  readonly root: InstanceRef;
  /** Names of the workflows whose instances follow, each once. */
  readonly workflows: readonly string[];
}

/** The last line. */
export interface ExportEnd {
  readonly kind: "end";
  /** How many records of each kind there are. */
  readonly counts: ExportCounts;
  /** The state of the family when it was read: see `FamilyMark`. For the source store. */
  readonly source: Readonly<Record<"members" | "version" | "events", number>>;
  /** CRC-32 of all lines before this one, including their line breaks: eight hexadecimal digits. */
  readonly crc32: string;
}

export type ExportCounts = Readonly<Record<"instance" | "step" | "event" | "progress", number>>;
