/**
 * Work after the answer, on platforms where an invocation lives on after it. What a request made due is ticked in the rest of
 * the invocation, and another invocation begins only for what does not fit. A process may be in many invocations at once.
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

/** The end of an invocation, its wakes, and the bounds of its ticks. */
export interface DrainOptions {
  /** When the caller's invocation is killed, by the process's clock. */
  readonly deadline: () => EpochMs;
  /** Keeps the caller's invocation alive for `work`; its rejections are ignored. */
  readonly defer: (work: Promise<unknown>) => void;
  /** Begins another invocation. @throws WAKE_FAILED */
  readonly handOver: (hopCount: number) => Promise<void>;
  /** @throws WAKE_FAILED */
  readonly wakeIn: Platform["wakeIn"];
  /** Bounds of all ticks, and the logger for those that fail. */
  readonly bounds: DriveOptions & { readonly logger: Logger };
  /** What a tick wakes for if a request began it, as opposed to a hand-over. @default "any" */
  readonly wakesFor?: WakesFor;
  /** Process clock. @default Date.now */
  readonly now?: () => EpochMs;
}

/** If less time than this is left, it is better to begin work in another invocation. */
export const MIN_DRAIN_MS: DurationMs = 10_000;

/** One for each process. */
export interface Drain {
  readonly platform: DrivingPlatform;
  /**
   * Ticks in the caller's invocation until its deadline, and again for what is left.
   *
   * @returns the output of the first tick
   * @throws what a tick throws
   */
  run(bounds?: DriveOptions): Promise<TickOutput>;
  /** The same after the caller has answered, however little time is left. A tick that fails is logged. */
  runAfter(): void;
}

interface DrainState {
  readonly options: DrainOptions;
  readonly now: () => EpochMs;
  /** Ticks by their deadline and by what they wake for. */
  readonly gathering: Gathering;
  readonly attachment: Attachment;
}

/** Creates a drain, which ticks one engine until nothing is due. */
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
    // If nobody else is woken, each tick looks for due work itself.
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

/** Gathers ticks by deadline, because each invocation has its own. */
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

/** Runs a tick with the deadline of the invocation that made the work due, wherever the tick is started from. */
async function run(state: DrainState, bounds: DriveOptions, endsAt: EpochMs): Promise<TickOutput> {
  const handedOn: Promise<unknown>[] = [];
  // If a tick had too little time for a body, the first body of a next tick would be cut off as well.
  const minHandedOnMs = Math.max(MIN_DRAIN_MS, (endsAt - state.now()) / 4);
  const platform = createPlatform(
    state,
    () => endsAt,
    (ticked) => void handedOn.push(ticked),
    minHandedOnMs,
  );
  const bound = { ...state.options.bounds, ...bounds };
  const output = await drive(state.attachment.engine(), platform, bound);
  // If handing over fails, this invocation fails as well, so that it is woken again.
  await Promise.all(handedOn);
  return output;
}
