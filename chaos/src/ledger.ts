/**
 * The external ledger: what author code did and saw, written by the processes themselves into one file that only grows.
 * Its order is the order in which the lines were appended, across all processes.
 */
import { openSync, writeSync } from "node:fs";
import { readLines } from "../../proofs/src/worker/line-log.ts";

interface AuthorLine {
  readonly id: string;
  /** One execution of the workflow function, in one process. */
  readonly session: string;
}

/** The workflow function was called. */
export interface BeginLine extends AuthorLine {
  readonly kind: "begin";
}

/** A body began. `after`: how many things the session had seen when author code called the step. */
export interface StartLine extends AuthorLine {
  readonly kind: "start";
  readonly key: string;
  readonly attempt: number;
  /** Retries that the step allows. */
  readonly limit: number;
  readonly after: number;
  readonly nonce: string;
}

/** A body is about to return its nonce (`value`) or to throw (`error`). */
export interface EndLine extends AuthorLine {
  readonly kind: "end";
  readonly key: string;
  readonly nonce: string;
  readonly outcome: "value" | "error";
}

/** The n-th thing that author code learned in this session, counted from 0. */
export interface SawLine extends AuthorLine {
  readonly kind: "saw";
  readonly n: number;
  readonly what: string;
}

/** Author code called a sleep. */
export interface SleepLine extends AuthorLine {
  readonly kind: "sleep";
  readonly name: string;
  readonly ms: number;
}

/** Somebody else has read in the database that a step is completed. */
export interface DurableLine {
  readonly kind: "durable";
  readonly id: string;
  readonly key: string;
}

/** A step of a steady instance is about to be done. */
export interface BeatLine {
  readonly kind: "beat";
  readonly id: string;
}

/** What the run did to a process or the database, for whoever reads the ledger. */
export interface FaultLine {
  readonly kind: "fault";
  readonly what: string;
}

export type LedgerEntry =
  | BeatLine
  | FaultLine
  | BeginLine
  | StartLine
  | EndLine
  | SawLine
  | SleepLine
  | DurableLine;

/** As read: with the milliseconds of the machine's monotonic clock, and the process. */
export type LedgerLine = LedgerEntry & { readonly t: number; readonly pid: number };

/** Appends to the ledger. */
export type AppendToLedger = (entry: LedgerEntry) => void;

/** Milliseconds of a clock that all processes of the machine share, and that nobody sets. */
export const machineMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

/**
 * Opens the ledger for appending. A line begins with a line break too, so that what a killed process could not finish
 * stays on a line of its own.
 */
export function openLedger(path: string): AppendToLedger {
  const file = openSync(path, "a");
  return (entry) => {
    writeSync(file, `\n${JSON.stringify({ t: machineMs(), pid: process.pid, ...entry })}\n`);
  };
}

/** All lines so far, in order. */
export const readLedger = (path: string): readonly LedgerLine[] =>
  readLines(path) as readonly LedgerLine[];
