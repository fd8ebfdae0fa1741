/**
 * Stays up for what becomes due soon. On platforms whose finest schedule is a minute, the tick of a minute waits in the process
 * for the due times inside that minute, so that they are met exactly.
 */
import { toLogFields } from "../core/errors.ts";
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { Logger } from "../ports/logger.ts";
import type { AttachedEngine, DrivingPlatform, Platform } from "../ports/platform.ts";
import type { TickOutput } from "../ports/tick.ts";
import { type Attachment, createAttachment } from "./attachment.ts";
import { createDeferrals, type Deferrals } from "./deferrals.ts";
import { drive, type DriveOptions, IDLE_TICK } from "./drive.ts";
import { createConsoleLogger } from "../process/console-logger.ts";
import { checkAgainAt, nextMinuteAt } from "./minute.ts";
import { type Begin, createGathering, type Gathering } from "./gathering.ts";
import { createWaits, type Waits } from "./waits.ts";
import { createWakeArm, type WakeArm } from "./wake-arm.ts";
import { createWakeNote, noteTicks, type WakeNote } from "./wake-note.ts";

/** Options of ticks that stay for their minute. */
export interface MinuteHoldOptions {
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
  /** A note that tells `holdMinutes` when it need not ask the database. @default none: it always asks */
  readonly note?: WakeNote;
}

/** Ticks that stay for what is due in their minute. */
export interface MinuteHold {
  /** Handles in this process what is due at once or inside the minute, and leaves the rest to the ticks of later minutes. */
  readonly platform: DrivingPlatform;
  /** The engine that was created with the platform. @throws WAKE_FAILED before that, and so does every tick */
  engine(): AttachedEngine;
  /**
   * Ticks, then stays until everything that it began has ended and nothing more that it waits for is due inside the minute. One
   * of several that stay also takes work that becomes due in this process meanwhile.
   *
   * @param bounds `wakesFor`: "due" by default, "own" if a request began it
   * @returns the output of the first tick
   * @throws what the first tick throws
   */
  hold(bounds?: DriveOptions): Promise<TickOutput>;
  /**
   * Like `hold` without bounds, but ticks once more for each minute that passes meanwhile. Use it for schedules whose runs never
   * overlap, because the platform skips those minutes. It ends between two minutes as soon as no work is left, and at once while
   * the note is quiet.
   *
   * @throws what a tick throws if its minute is not over
   */
  holdMinutes(): Promise<void>;
  /** Whether any call stays. Then work that becomes due here is best done here. */
  isHeld(): boolean;
  /** Stops ticking and waiting. Running ticks start nothing more; resolves when they have ended by themselves. */
  stop(): Promise<void>;
}

interface HoldState {
  readonly logger: Logger;
  /** The unfinished work of this process. */
  readonly inHand: Deferrals;
  /** What each call that stays is staying for. */
  readonly holders: Set<Pick<Deferrals, "defer">>;
  /** The alarm of this process. */
  readonly alarm: WakeArm<(delayMs: DurationMs) => void>;
  /** Ticks by what they wait for. */
  readonly gathering: Gathering;
  readonly waits: Waits;
  readonly attachment: Attachment;
  readonly note: WakeNote;
  readonly stopping: AbortController;
}

/** Create one per process. */
export function createMinuteHold(options: MinuteHoldOptions = {}): MinuteHold {
  const { logger = createConsoleLogger(), note = createWakeNote(null) } = options;
  const waits = createWaits();
  const state: HoldState = {
    logger,
    inHand: createDeferrals(),
    holders: new Set(),
    alarm: createWakeArm({ arm: async (delayMs, begin) => begin(delayMs) }),
    gathering: createGathering(() => waits.until(0).over),
    waits,
    attachment: createAttachment(),
    note,
    stopping: new AbortController(),
  };
  // One of the calls that stay takes the work that none of them began.
  const platform = createPlatform(state, (work) => {
    const [holder] = state.holders;
    holder?.defer(work);
  });
  return {
    platform,
    engine: state.attachment.engine,
    hold: (bounds) => hold(state, createDeferrals(), bounds),
    holdMinutes: async () => {
      if (!(await note.isQuiet())) await holdMinutes(state);
    },
    isHeld: () => state.holders.size > 0,
    stop: () => {
      state.stopping.abort();
      waits.endAll();
      return state.inHand.settled();
    },
  };
}

/** @param keep makes a call stay for work */
function createPlatform(state: HoldState, keep: Deferrals["defer"]): DrivingPlatform {
  const { waits, alarm, gathering, inHand } = state;
  const defer = (work: Promise<unknown>): void => {
    inHand.defer(work);
    keep(work);
  };
  const wait = async (delayMs: DurationMs, thenWakeAt: EpochMs | null): Promise<unknown> => {
    await waits.until(Date.now() + delayMs).over;
    alarm.fired();
    return run(state, platform, { thenWakeAt });
  };
  const platform: DrivingPlatform = {
    attach: state.attachment.attach,
    defer,
    deadline: () => null,
    // Work that begins while a call stays need not be looked for.
    stays: () => state.holders.size > 0 && !state.stopping.signal.aborted,
    wakeNow: async ({ hopCount = 0, held }) => {
      const wakesFor = hopCount === 0 ? "own" : "due";
      const bounds: DriveOptions = { hopCount, wakesFor };
      const begin: Begin = (gathered) => run(state, platform, { ...bounds, ...gathered });
      defer(gathering.join(wakesFor, held, begin));
    },
    wakeIn: async (dueInMs, { thenWakeAt = null }) => {
      const now = Date.now();
      const at = checkAgainAt(dueInMs, now);
      if (at === null || state.stopping.signal.aborted) return;
      await alarm.wakeIn(at - now, (delayMs) => defer(wait(delayMs, thenWakeAt)));
    },
  };
  return platform;
}

async function run(
  { attachment, note, stopping: { signal }, logger }: HoldState,
  platform: Platform,
  bounds: DriveOptions = {},
): Promise<TickOutput> {
  // A tick without time releases the runs that it is given.
  if (signal.aborted && bounds.held === undefined) return IDLE_TICK;
  const engine = noteTicks(attachment.engine(), note);
  try {
    // A run that is leased elsewhere is being advanced. If that process dies, a later minute's tick finds the run.
    return await drive(engine, platform, { logger, signal, wakesFor: "due", ...bounds });
  } catch (error) {
    logger.log("error", "tick.failed", toLogFields(error));
    throw error;
  }
}

/** @param own the work that it stays for */
async function hold(state: HoldState, own: Deferrals, bounds?: DriveOptions): Promise<TickOutput> {
  const holder = { defer: own.defer };
  state.holders.add(holder);
  try {
    const platform = createPlatform(state, own.defer);
    const ticked = run(state, platform, bounds);
    platform.defer(ticked);
    const output = await ticked;
    await own.settled();
    return output;
  } finally {
    state.holders.delete(holder);
  }
}

async function holdMinutes(state: HoldState): Promise<void> {
  const own = createDeferrals();
  let isDone = false;
  while (!isDone) {
    const held = hold(state, own).then(() => true);
    // A failure in a later minute has been logged.
    held.catch(() => undefined);
    const minute = state.waits.until(nextMinuteAt(Date.now()));
    const ended = minute.over.then(() => state.stopping.signal.aborted);
    isDone = await Promise.race([held, ended]).finally(minute.end);
  }
}
