/**
 * Stays for what comes due: on platforms whose finest schedule is a minute, the tick of a minute waits in the process
 * for the due times inside that minute, so that they are met to the moment.
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
import { lookAhead, nextMinuteAt } from "./minute.ts";
import { type Begin, createGathering, type Gathering } from "./gathering.ts";
import { createWaits, type Waits } from "./waits.ts";
import { createWakeArm, type WakeArm } from "./wake-arm.ts";
import { createWakeNote, noteTicks, type WakeNote } from "./wake-note.ts";

/** The note of ticks that stay for their minute, and who is told of trouble. */
export interface MinuteHoldOptions {
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
  /** What tells `holdMinutes` that it need not ask the database. @default none: it asks */
  readonly note?: WakeNote;
}

/** Ticks that stay for what is due in their minute. */
export interface MinuteHold {
  /** Does in this process what comes due at once or inside the minute; leaves the rest to the ticks of later minutes. */
  readonly platform: DrivingPlatform;
  /** The engine that is made with the platform. @throws WAKE_FAILED until it is, and so does every tick */
  engine(): AttachedEngine;
  /**
   * Ticks, then stays until nothing is in hand that it began, and nothing more comes due inside the minute that it is to wait
   * for. One of those that stay does so for work that comes due in this process meanwhile.
   *
   * @param bounds `wakesFor`: "due" by default, "own" where a request began it
   * @returns of the first tick
   * @throws what the first tick throws
   */
  hold(bounds?: DriveOptions): Promise<TickOutput>;
  /**
   * As `hold` without bounds, and ticks once more for each minute that passes meanwhile: for schedules whose runs never
   * overlap, so that the platform skips those minutes. Ends between two minutes as soon as nothing is in hand, and at once
   * while the note is quiet.
   *
   * @throws what a tick throws whose minute is not over
   */
  holdMinutes(): Promise<void>;
  /** Whether anybody stays: then work that comes due here is best done here. */
  isHeld(): boolean;
  /** Ticks and waits no more. Ticks under way start nothing more; resolves when they have ended, by themselves. */
  stop(): Promise<void>;
}

interface HoldState {
  readonly logger: Logger;
  /** Of this process. */
  readonly inHand: Deferrals;
  /** Of those that stay, each what it stays for. */
  readonly holders: Set<Pick<Deferrals, "defer">>;
  /** Of this process; told what begins the wait. */
  readonly alarm: WakeArm<(delayMs: DurationMs) => void>;
  /** By what ticks wait for. */
  readonly gathering: Gathering;
  readonly waits: Waits;
  readonly attachment: Attachment;
  readonly note: WakeNote;
  readonly stopping: AbortController;
}

/** One for each process. */
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
  // One of those that stay does so for what nobody began who stays.
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

/** @param keep has somebody stay for work */
function createPlatform(state: HoldState, keep: Deferrals["defer"]): DrivingPlatform {
  const { waits, alarm, gathering, inHand } = state;
  const defer = (work: Promise<unknown>): void => {
    inHand.defer(work);
    keep(work);
  };
  const wait = async (delayMs: DurationMs, thenWakeAt: EpochMs | null): Promise<unknown> => {
    await waits.until(Date.now() + delayMs).over;
    alarm.rang();
    return run(state, platform, { thenWakeAt });
  };
  const platform: DrivingPlatform = {
    attach: state.attachment.attach,
    defer,
    deadline: () => null,
    // What is begun while somebody stays need not be looked for.
    stays: () => state.holders.size > 0 && !state.stopping.signal.aborted,
    wakeNow: async ({ hopCount = 0, held }) => {
      const wakesFor = hopCount === 0 ? "own" : "due";
      const bounds: DriveOptions = { hopCount, wakesFor };
      const begin: Begin = (gathered) => run(state, platform, { ...bounds, ...gathered });
      defer(gathering.join(wakesFor, held, begin));
    },
    wakeIn: async (dueInMs, { thenWakeAt = null }) => {
      const now = Date.now();
      const at = lookAhead(dueInMs, now);
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
  // What is held is handed back by a tick without time.
  if (signal.aborted && bounds.held === undefined) return IDLE_TICK;
  const engine = noteTicks(attachment.engine(), note);
  try {
    // A run that is leased elsewhere has somebody; should that one die, a later minute's tick finds it.
    return await drive(engine, platform, { logger, signal, wakesFor: "due", ...bounds });
  } catch (error) {
    logger.log("error", "tick.failed", toLogFields(error));
    throw error;
  }
}

/** @param own what it stays for */
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
    // When it fails in a later minute, the log has been told.
    held.catch(() => undefined);
    const minute = state.waits.until(nextMinuteAt(Date.now()));
    const ended = minute.over.then(() => state.stopping.signal.aborted);
    isDone = await Promise.race([held, ended]).finally(minute.end);
  }
}
