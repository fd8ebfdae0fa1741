/**
 * Work after the answer: where an invocation lives on once it has answered, what it made due is ticked in what is left of
 * it, and only what does not fit begins another one. A process may be in many invocations at once.
 */
import { toLogFields } from "../core/errors.ts";
import type { WakesFor } from "../core/decide/wake.ts";
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { Logger } from "../ports/logger.ts";
import type { DrivingPlatform, Platform } from "../ports/platform.ts";
import type { HeldRun, TickOutput } from "../ports/tick.ts";
import { type Attachment, createAttachment } from "./attachment.ts";
import { drive, type DriveOptions } from "./drive.ts";
import { createGathering, type Gathering } from "./gathering.ts";
import { pause } from "./waits.ts";

/** An invocation's end, its wakes, and bounds of its ticks. */
export interface DrainOptions {
  /** When the invocation that the caller is in is killed, by the process clock. */
  readonly deadline: () => EpochMs;
  /** Keeps the invocation that the caller is in alive; what it rejects with is not for it. */
  readonly defer: (work: Promise<unknown>) => void;
  /** Begins another invocation. @throws WAKE_FAILED */
  readonly handOver: (hopCount: number) => Promise<void>;
  /** @throws WAKE_FAILED */
  readonly wakeIn: Platform["wakeIn"];
  /** Bounds of all ticks, and who is told of those that fail. */
  readonly bounds: DriveOptions & { readonly logger: Logger };
  /** What a tick wakes for that somebody's request began, and no hand-over. @default "any" */
  readonly wakesFor?: WakesFor;
  /** Process clock. @default Date.now */
  readonly now?: () => EpochMs;
}

/** With less time than this left, work is better begun in another invocation. */
export const MIN_DRAIN_MS: DurationMs = 10_000;

/** One for each process. */
export interface Drain {
  readonly platform: DrivingPlatform;
  /**
   * Ticks in the invocation that the caller is in, until its deadline, and again for what is left.
   *
   * @returns of the first tick
   * @throws what a tick throws
   */
  run(bounds?: DriveOptions): Promise<TickOutput>;
  /** The same once the caller has answered, however little time is left; a tick that fails is logged. */
  runAfter(): void;
}

interface DrainState {
  readonly options: DrainOptions;
  readonly now: () => EpochMs;
  /** By the deadline of ticks, and by what they wake for. */
  readonly gathering: Gathering;
  readonly attachment: Attachment;
}

/** Creates what ticks one engine until nothing is due. */
export function createDrain(options: DrainOptions): Drain {
  const { deadline, now = Date.now } = options;
  const state: DrainState = {
    options,
    now,
    gathering: createGathering(() => pause(0)),
    attachment: createAttachment(),
  };
  return {
    platform: createPlatform(state, deadline),
    run: (bounds = {}) => run(state, bounds, deadline()),
    runAfter: () =>
      options.defer(gather(state, { hopCount: 0, wakesFor: "any" }, { endsAt: deadline() })),
  };
}

function createPlatform(
  state: DrainState,
  deadline: () => EpochMs,
  keep = state.options.defer,
  minHandedOnMs = MIN_DRAIN_MS,
): DrivingPlatform {
  const { defer, handOver, wakeIn, wakesFor: forRequests = "any" } = state.options;
  return {
    attach: state.attachment.attach,
    deadline,
    defer,
    wakeIn,
    // Where nobody else is woken, each tick looks for what is due.
    stays: () => forRequests === "own" && deadline() - state.now() >= MIN_DRAIN_MS,
    wakeNow: async ({ hopCount = 0, held }) => {
      const endsAt = deadline();
      const wakesFor = hopCount === 0 ? forRequests : "any";
      const minMs = hopCount === 0 ? MIN_DRAIN_MS : minHandedOnMs;
      if (held !== undefined || endsAt - state.now() >= minMs)
        keep(gather(state, { hopCount, wakesFor }, { endsAt, held }));
      else await handOver(hopCount);
    },
  };
}

/** Invocations have deadlines of their own. */
function gather(
  state: DrainState,
  bounds: DriveOptions,
  { endsAt, held }: { readonly endsAt: EpochMs; readonly held?: HeldRun | undefined },
): Promise<TickOutput> {
  return state.gathering.join(`${endsAt} ${bounds.wakesFor}`, held, async (gathered) => {
    try {
      return await run(state, { ...bounds, ...gathered }, endsAt);
    } catch (error) {
      state.options.bounds.logger.log("error", "tick.failed", toLogFields(error));
      throw error;
    }
  });
}

/** The deadline is kept: it is read from the invocation that made the work due, wherever the tick is begun from. */
async function run(state: DrainState, bounds: DriveOptions, endsAt: EpochMs): Promise<TickOutput> {
  const handedOn: Promise<unknown>[] = [];
  // In what is left when a tick had too little time for a body, the next tick's first body would be cut off.
  const minHandedOnMs = Math.max(MIN_DRAIN_MS, (endsAt - state.now()) / 4);
  const platform = createPlatform(
    state,
    () => endsAt,
    (ticked) => void handedOn.push(ticked),
    minHandedOnMs,
  );
  const bound = { ...state.options.bounds, ...bounds };
  const output = await drive(state.attachment.engine(), platform, bound);
  // Whoever is woken again if this fails is so, too, if that fails which it handed on.
  await Promise.all(handedOn);
  return output;
}
