/**
 * When the next work is due, noted outside of the database: a schedule that runs each minute then leaves a database that
 * sleeps alone.
 *
 * The note is open while something is due, or may be: then everybody asks the database. Whoever makes work due opens it, and
 * so does each tick before it claims. Only the tick that opened it last may settle it, with what its last claim saw; so
 * what others made due meanwhile keeps it open, and so does a process that has died.
 */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { Logger } from "../ports/logger.ts";
import type { DriveEngine } from "./drive.ts";
import { createConsoleLogger } from "./logger.ts";

/** One text that a platform keeps beside the database; reads see the last write. */
export interface NoteStore {
  /** null: nothing has been written. */
  read(): Promise<string | null>;
  /** @returns what tells this write from every other; null: nothing does */
  write(text: string): Promise<string | null>;
  /** Writes only if no other write came after that one. */
  replace(text: string, written: string): Promise<unknown>;
}

export interface WakeNoteOptions {
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
  /** Process clock. @default Date.now */
  readonly now?: () => EpochMs;
}

export interface WakeNote {
  /** Whether nothing is due for some minutes. false also when the note cannot be read, and once an hour. */
  isQuiet(): Promise<boolean>;
  /** Something is due, or may be. Await it before the database is asked. Never throws. @returns for `settle` */
  open(): Promise<string | null>;
  /** Nothing is due before `quietMs` are over; null: ever. Never throws. */
  settle(opened: string | null, quietMs: DurationMs | null): Promise<void>;
}

/** The clocks of two processes may be a minute apart, and a schedule looks a minute ahead. */
const EARLY_MS = 180_000;
/** An hour: whoever wrote into the database may have known nothing of the note. */
const LONGEST_QUIET_MS = 3_600_000 + EARLY_MS;

/** A tick waits no longer for a store that does not answer. */
const TIMEOUT_MS = 2000;

interface NoteText {
  readonly notedAt: EpochMs;
  readonly quietUntil: EpochMs | null;
  /** Makes each text another, where a store tells texts apart and not writes. */
  readonly id: string;
}

export function createWakeNote(store: NoteStore, options: WakeNoteOptions = {}): WakeNote {
  const { logger = createConsoleLogger(), now = Date.now } = options;
  const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await inTime(work());
    } catch (error) {
      logger.log("warn", "wake.note_failed", { code: "WAKE_FAILED", error: String(error) });
      return null;
    }
  };
  const toText = (quietUntil: EpochMs | null): string =>
    JSON.stringify({ notedAt: now(), quietUntil, id: crypto.randomUUID() } satisfies NoteText);
  return {
    isQuiet: async () => isQuietAt(now(), parseNote(await attempt(() => store.read()))),
    open: () => attempt(() => store.write(toText(null))),
    settle: async (opened, quietMs) => {
      if (opened === null) return;
      const until = now() + Math.min(quietMs ?? Infinity, LONGEST_QUIET_MS);
      await attempt(() => store.replace(toText(until), opened));
    },
  };
}

/** Ticks that open the note before they claim, and settle it unless they leave work that is due. */
export const noteTicks = (engine: DriveEngine, note: WakeNote | null): DriveEngine =>
  note === null
    ? engine
    : {
        tick: async (input) => {
          const opened = await note.open();
          const output = await engine.tick(input);
          if (!output.moreDue) await note.settle(opened, output.quietMs);
          return output;
        },
      };

/** What comes later does no harm: the note is opened, or settled by who opened it last. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new RangeError("no answer in 2 s")), TIMEOUT_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

function isQuietAt(now: EpochMs, note: NoteText | null): boolean {
  if (note === null || note.quietUntil === null) return false;
  // A clock that was set back keeps nothing quiet for longer.
  const isRecent = Math.abs(now - note.notedAt) < LONGEST_QUIET_MS;
  return isRecent && now < note.quietUntil - EARLY_MS;
}

function parseNote(text: string | null): NoteText | null {
  try {
    const { notedAt, quietUntil, id } = JSON.parse(text ?? "null") as NoteText;
    return Number.isFinite(notedAt) && Number.isFinite(quietUntil)
      ? { notedAt, quietUntil, id }
      : null;
  } catch {
    return null;
  }
}
