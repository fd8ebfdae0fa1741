/**
 * Work after the answer: where an invocation lives on once it has answered, what it made due is ticked in what is left of
 * it, and only what does not fit begins another one. A process may be in many invocations at once.
 */
import { toLogFields } from "../core/errors.ts";
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { Logger } from "../ports/logger.ts";
import type { DrivingPlatform, Platform } from "../ports/platform.ts";
import type { TickOutput } from "../ports/service.ts";
import { type Attachment, createAttachment } from "./attachment.ts";
import { drive, type DriveOptions } from "./drive.ts";

export interface DrainOptions {
  /** When the invocation that the caller is in is killed, by the process clock. */
  readonly deadline: () => EpochMs;
  /** Keeps the invocation that the caller is in alive; what it rejects with is not for it. */
  readonly defer: (work: Promise<unknown>) => void;
  /** Begins another invocation. @throws WAKE_FAILED */
  readonly handOver: (hopCount: number) => Promise<void>;
  /** @throws WAKE_FAILED */
  readonly wakeIn: Platform["wakeIn"];
  /** With less time than this left, work is better begun in another invocation; milliseconds. @default 10000 */
  readonly minDrainMs?: DurationMs;
  /** Bounds of all ticks, and who is told of those that fail. */
  readonly bounds: DriveOptions & { readonly logger: Logger };
  /** Process clock. @default Date.now */
  readonly now?: () => EpochMs;
}

/** One for each process. */
export interface Drain {
  readonly platform: DrivingPlatform;
  /** Ticks in the invocation that the caller is in, until its deadline. @throws what the tick throws */
  run(bounds?: DriveOptions): Promise<TickOutput>;
  /** The same once the caller has answered, however little time is left; a tick that fails is logged. */
  runAfter(): void;
}

interface DrainState {
  readonly options: DrainOptions;
  readonly now: () => EpochMs;
  /** Ticks about to begin, by the deadline of their invocation. */
  readonly gathering: Map<EpochMs, Promise<TickOutput>>;
  readonly attachment: Attachment;
}

export function createDrain(options: DrainOptions): Drain {
  const { deadline, now = Date.now } = options;
  const state: DrainState = { options, now, gathering: new Map(), attachment: createAttachment() };
  return {
    platform: createPlatform(state, deadline),
    run: (bounds = {}) => run(state, bounds, deadline()),
    runAfter: () => options.defer(gather(state, 0, deadline())),
  };
}

function createPlatform(state: DrainState, deadline: () => EpochMs): DrivingPlatform {
  const { defer, handOver, minDrainMs = 10_000, wakeIn } = state.options;
  return {
    attach: state.attachment.attach,
    deadline,
    defer,
    wakeIn,
    wakeNow: async ({ hopCount = 0 }) => {
      const endsAt = deadline();
      if (endsAt - state.now() >= minDrainMs) defer(gather(state, hopCount, endsAt));
      else await handOver(hopCount);
    },
  };
}

/** What comes due in one turn of the event loop shares a tick; other invocations have deadlines of their own. */
function gather(state: DrainState, hopCount: number, endsAt: EpochMs): Promise<TickOutput> {
  const { gathering } = state;
  const begun = gathering.get(endsAt);
  if (begun !== undefined) return begun;
  const ticked = nextTurn().then(() => {
    gathering.delete(endsAt);
    return run(state, { hopCount }, endsAt);
  });
  gathering.set(endsAt, ticked);
  ticked.catch((error: unknown) => {
    state.options.bounds.logger.log("error", "tick.failed", toLogFields(error));
  });
  return ticked;
}

/** The deadline is kept: it is read from the invocation that made the work due, wherever the tick is begun from. */
async function run(state: DrainState, bounds: DriveOptions, endsAt: EpochMs): Promise<TickOutput> {
  const platform = createPlatform(state, () => endsAt);
  return drive(state.attachment.engine(), platform, { ...state.options.bounds, ...bounds });
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0));
