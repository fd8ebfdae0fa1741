/**
 * A note, outside of the database, of when the next work is due. With it, a schedule that runs each minute need not wake a
 * database that sleeps.
 *
 * The note is open while something is or may be due; then everybody asks the database. A process that makes work due opens it,
 * and so does each tick before it claims. Only the tick that opened it last may settle it, with what its last claim saw. So the
 * note stays open if others make work due meanwhile, or if the process dies. If the note's store fails, everything goes on.
 */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { Logger } from "../ports/logger.ts";
import type { DriveEngine } from "./drive.ts";
import { createConsoleLogger } from "../process/console-logger.ts";

/** One text that a platform keeps beside the database; reads see the last write. */
export interface NoteStore {
  /** null: nothing has been written. */
  read(): Promise<string | null>;
  /** @returns something that identifies this write; null: there is nothing */
  write(text: string): Promise<string | null>;
  /** Writes only if no other write came after that one. */
  replace(text: string, written: string): Promise<unknown>;
}

/** The clock and the logger. */
export interface WakeNoteOptions {
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
  /** Process clock. @default Date.now */
  readonly now?: () => EpochMs;
}

/** Remembers outside of the database when the next work is due. */
export interface WakeNote {
  /** Whether nothing is due for some minutes. Also false if the note cannot be read, and once an hour. */
  isQuiet(): Promise<boolean>;
  /** Something is due, or may be. */
  open(): Promise<void>;
  /**
   * Opens the note, asks the database, and settles the note with how long nothing is due (0 if asking failed). If the note could
   * not be opened before, it is opened then.
   *
   * @param quietMsOf null: nothing comes due by itself
   * @throws what `ask` throws, and nothing else
   */
  around<T>(ask: () => Promise<T>, quietMsOf: (answer: T) => DurationMs | null): Promise<T>;
}

/** The clocks of two processes may be a minute apart, and a schedule looks a minute ahead. */
const EARLY_MS = 180_000;
/** An hour, because a process that does not know the note may have written to the database. */
const LONGEST_QUIET_MS = 3_600_000 + EARLY_MS;

/** The longest time that a tick waits for the note's store. */
const TIMEOUT_MS = 2000;

/** An id makes each text unique, for stores that compare texts instead of writes. */
interface NoteText {
  readonly notedAt: EpochMs;
  readonly quietUntil: EpochMs;
}

/**
 * Creates the note over a store of the platform.
 *
 * @param store null: there is no note, and the database is always asked
 */
export function createWakeNote(store: NoteStore | null, options: WakeNoteOptions = {}): WakeNote {
  if (store === null) return NO_NOTE;
  const { logger = createConsoleLogger(), now = Date.now } = options;
  const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await inTime(work());
    } catch (error) {
      logger.log("warn", "wake.note_failed", { code: "WAKE_FAILED", error: String(error) });
      return null;
    }
  };
  const toText = (quietMs: DurationMs | null): string => {
    const quietUntil = now() + Math.min(quietMs ?? Infinity, LONGEST_QUIET_MS);
    return JSON.stringify({ notedAt: now(), quietUntil, id: crypto.randomUUID() });
  };
  const open = (): Promise<string | null> => attempt(() => store.write(toText(0)));
  const settle = (opened: string | null, quietMs: DurationMs | null): Promise<unknown> =>
    opened === null ? open() : attempt(() => store.replace(toText(quietMs), opened));
  return {
    isQuiet: async () => isQuietAt(now(), parseNote(await attempt(() => store.read()))),
    open: async () => void (await open()),
    around: async (ask, quietMsOf) => {
      const opened = await open();
      let quietMs: DurationMs | null = 0;
      try {
        const answer = await ask();
        quietMs = quietMsOf(answer);
        return answer;
      } finally {
        await settle(opened, quietMs);
      }
    },
  };
}

const NO_NOTE: WakeNote = {
  isQuiet: async () => false,
  open: async () => undefined,
  around: (ask) => ask(),
};

/** Wraps ticks so that each one opens and settles the note. */
export const noteTicks = (engine: DriveEngine, note: WakeNote): DriveEngine => ({
  tick: (input) =>
    note.around(
      () => engine.tick(input),
      ({ quietMs }) => quietMs,
    ),
});

/** Limits the wait. A late answer does no harm: the note is open by then, or only its last opener can settle it. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new RangeError("no answer in 2 s")), TIMEOUT_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

function isQuietAt(now: EpochMs, note: NoteText | null): boolean {
  if (note === null) return false;
  // A clock that was set back must not keep the note quiet for longer.
  const isRecent = Math.abs(now - note.notedAt) < LONGEST_QUIET_MS;
  return isRecent && now < note.quietUntil - EARLY_MS;
}

function parseNote(text: string | null): NoteText | null {
  try {
    const { notedAt, quietUntil } = JSON.parse(text ?? "null") as NoteText;
    return Number.isFinite(notedAt) && Number.isFinite(quietUntil) ? { notedAt, quietUntil } : null;
  } catch {
    return null;
  }
}
