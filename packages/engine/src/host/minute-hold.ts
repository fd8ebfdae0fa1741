/**
 * Stays for what comes due: on platforms whose finest schedule is a minute, the tick of a minute waits in the process
 * for the due times inside that minute, so that they are met to the moment.
 */
import { toLogFields } from "../core/errors.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { Logger } from "../ports/logger.ts";
import type { AttachedEngine, DrivingPlatform, Platform } from "../ports/platform.ts";
import type { TickOutput } from "../ports/service.ts";
import { type Attachment, createAttachment } from "./attachment.ts";
import { createDeferrals, type Deferrals } from "./deferrals.ts";
import { drive, type DriveOptions, IDLE_TICK } from "./drive.ts";
import { createConsoleLogger } from "./logger.ts";
import { lookAhead, nextMinuteAt } from "./minute.ts";
import { createWaits, type Waits } from "./waits.ts";
import { createWakeArm } from "./wake-arm.ts";
import { createWakeNote, noteTicks, type WakeNote } from "./wake-note.ts";

export interface MinuteHoldOptions {
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
  /** What tells `holdMinutes` that it need not ask the database. @default none: it asks */
  readonly note?: WakeNote;
}

export interface MinuteHold {
  /** Does in this process what comes due at once or inside the minute; leaves the rest to the ticks of later minutes. */
  readonly platform: DrivingPlatform;
  /** The engine that is made with the platform. @throws WAKE_FAILED until it is, and so does every tick */
  engine(): AttachedEngine;
  /**
   * Ticks, then stays until nothing is in hand and nothing more comes due inside the minute. Work that comes due in
   * this process meanwhile counts as in hand.
   *
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
  readonly deferrals: Deferrals;
  readonly waits: Waits;
  readonly attachment: Attachment;
  readonly note: WakeNote;
  readonly stopping: AbortController;
  holdCount: number;
}

/** One for each process. */
export function createMinuteHold(options: MinuteHoldOptions = {}): MinuteHold {
  const { logger = createConsoleLogger(), note = createWakeNote(null) } = options;
  const waits = createWaits();
  const state: HoldState = {
    logger,
    deferrals: createDeferrals(),
    waits,
    attachment: createAttachment(),
    note,
    stopping: new AbortController(),
    holdCount: 0,
  };
  const platform = createPlatform(state);
  return {
    platform,
    engine: state.attachment.engine,
    hold: (bounds) => hold(state, platform, bounds),
    holdMinutes: async () => {
      if (!(await note.isQuiet())) await holdMinutes(state, platform);
    },
    isHeld: () => state.holdCount > 0,
    stop: () => {
      state.stopping.abort();
      waits.endAll();
      return state.deferrals.settled();
    },
  };
}

function createPlatform(state: HoldState): DrivingPlatform {
  const { waits } = state;
  const { defer } = state.deferrals;
  let gathering: Promise<unknown> | null = null;
  const alarm = createWakeArm({ arm: async (delayMs) => defer(runIn(delayMs)) });
  const runIn = async (delayMs: DurationMs): Promise<unknown> => {
    await waits.until(Date.now() + delayMs).over;
    alarm.rang();
    return run(state, platform);
  };
  const platform: DrivingPlatform = {
    attach: state.attachment.attach,
    defer,
    deadline: () => null,
    wakeNow: async ({ hopCount = 0 }) => {
      // What comes due in one turn of the event loop shares a tick.
      gathering ??= waits.until(0).over.then(() => {
        gathering = null;
        return run(state, platform, { hopCount });
      });
      defer(gathering);
    },
    wakeIn: async (dueInMs) => {
      const now = Date.now();
      const at = lookAhead(dueInMs, now);
      if (at !== null && !state.stopping.signal.aborted) await alarm.wakeIn(at - now);
    },
  };
  return platform;
}

async function run(
  { attachment, note, stopping: { signal }, logger }: HoldState,
  platform: Platform,
  bounds: DriveOptions = {},
): Promise<TickOutput> {
  if (signal.aborted) return IDLE_TICK;
  const engine = noteTicks(attachment.engine(), note);
  try {
    // A run that is leased elsewhere has somebody; should that one die, a later minute's tick finds it.
    return await drive(engine, platform, { logger, signal, wakesFor: "due", ...bounds });
  } catch (error) {
    logger.log("error", "tick.failed", toLogFields(error));
    throw error;
  }
}

async function hold(
  state: HoldState,
  platform: Platform,
  bounds?: DriveOptions,
): Promise<TickOutput> {
  state.holdCount += 1;
  try {
    const ticked = run(state, platform, bounds);
    state.deferrals.defer(ticked);
    const output = await ticked;
    await state.deferrals.settled();
    return output;
  } finally {
    state.holdCount -= 1;
  }
}

async function holdMinutes(state: HoldState, platform: Platform): Promise<void> {
  let isDone = false;
  while (!isDone) {
    const held = hold(state, platform).then(() => true);
    // When it fails in a later minute, the log has been told.
    held.catch(() => undefined);
    const minute = state.waits.until(nextMinuteAt(Date.now()));
    const ended = minute.over.then(() => state.stopping.signal.aborted);
    isDone = await Promise.race([held, ended]).finally(minute.end);
  }
}
