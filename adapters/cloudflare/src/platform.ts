/** Wakes in a Durable Object: its only alarm, and ticks beside a long step that the alarm began. */
import { createConsoleLogger, type TickOutput } from "@escapement/engine";
import {
  assertOption,
  assertPlatformOptions,
  createAttachment,
  createDeferrals,
  createTripCounter,
  createWakeArm,
  drive,
  DRIVE_OPTIONS,
  type DriveOptions,
  type DrivingPlatform,
  toLogFields,
  type TripCounter,
  type WakeHint,
} from "@escapement/engine/adapter";
import type { ObjectContext } from "./workers-runtime.ts";

/** Limits of one invocation of the object. */
export interface CloudflarePlatformOptions extends Omit<DriveOptions, "hopCount" | "tripsLeft"> {
  /**
   * How often the engine may call a database elsewhere in one invocation; what is left goes to the next alarm. The other
   * subrequests are for your steps. Calls of the object's own storage do not count. @default 25 @minimum 10
   */
  readonly maxTrips?: number;
  /** How long the platform lets an alarm run, in milliseconds. @default 900000 @minimum 1 */
  readonly runLimitMs?: number;
}

/** @source https://developers.cloudflare.com/workers/platform/limits/, wall time limits by invocation type, read 2026-11 */
const RUN_LIMIT_MS = 900_000;
/**
 * Half of what an invocation has on the free plan, 50; on paid plans it has 10 000.
 *
 * @source https://developers.cloudflare.com/workers/platform/limits/, subrequests, read 2026-11
 */
const MAX_TRIPS = 25;
/** With fewer, the trips reserved for running runs would leave nothing to work with. */
const LEAST_TRIPS = 10;
/** The wait after a failed tick. */
const RETRY_MS = 8000;
/** The wait before the next look for due work that a tick could not get. */
const LOOK_MS = 250;
/**
 * While steps are running, an alarm does not fire before they end. Work that becomes due meanwhile is looked for when it was asked for
 * here, and from time to time for what another Worker wrote. Each look is a trip.
 */
const BESIDE_MS = 5000;

/** Creates the platform of an object for `createEngine({ platform })`, in its constructor. Nothing else may set the alarm. */
export const createCloudflarePlatform = (
  ctx: ObjectContext,
  options: CloudflarePlatformOptions = {},
): CloudflarePlatform => new CloudflarePlatform(ctx, options);

/** An invocation that ticks. */
interface Hold {
  readonly endsAt: number;
  readonly tripsLeft: () => number;
  readonly hopCount: number;
  /** A look beside running steps got nothing done, so another one follows when they have ended. */
  leavesMore: boolean;
}

/** Drives the engine of one Durable Object by its alarm. */
export class CloudflarePlatform implements DrivingPlatform {
  readonly #attachment = createAttachment();
  readonly attach: DrivingPlatform["attach"] = this.#attachment.attach;
  /** A request has its own invocation; alarms and the safety net share theirs among their ticks. */
  readonly trips: TripCounter;
  readonly #ctx: ObjectContext;
  readonly #runLimitMs: number;
  readonly #bounds: DriveOptions & Required<Pick<DriveOptions, "logger">>;
  readonly #asked = createDeferrals();
  readonly #inHand = createDeferrals();
  readonly #holds = new Set<Hold>();
  /** It fires as soon as the running steps have ended, however late. */
  readonly #alarm = createWakeArm({
    ringsLate: true,
    arm: (delayMs) => this.#ctx.storage.setAlarm(Date.now() + delayMs),
  });
  /** The earliest due time that was asked for and not looked for since. */
  #lookAt = Infinity;
  /** The hop count of the hand-over that the alarm was last set for. */
  #hopCount = 0;

  constructor(ctx: ObjectContext, options: CloudflarePlatformOptions) {
    assertPlatformOptions(options, { ...DRIVE_OPTIONS, wakesFor: 1, maxTrips: 1, runLimitMs: 1 });
    const { runLimitMs = RUN_LIMIT_MS, maxTrips = MAX_TRIPS, ...others } = options;
    const { logger = createConsoleLogger(), ...bounds } = others;
    const isCount = Number.isSafeInteger(maxTrips) || maxTrips === Infinity;
    const isEnough = isCount && maxTrips >= LEAST_TRIPS;
    assertOption("maxTrips", isEnough, `a whole number from ${LEAST_TRIPS} on, or Infinity`);
    this.#ctx = ctx;
    // Lingering is billed, and an alarm is just as exact.
    this.#bounds = { lingerMs: 0, ...bounds, logger };
    this.#runLimitMs = runLimitMs;
    this.trips = createTripCounter(maxTrips);
    // The object may have set the alarm before it was restarted.
    void ctx.blockConcurrencyWhile(() => this.#recall());
  }

  /** The object, because it has one process at a time. */
  runner(): string {
    return this.#ctx.id?.toString() ?? "";
  }

  defer(work: Promise<unknown>): void {
    this.#asked.defer(work);
    this.#ctx.waitUntil(work);
  }

  /** Resolves when the requested wakes are set. */
  armed(): Promise<void> {
    return this.#asked.settled();
  }

  wakeNow({ hopCount = 0 }: WakeHint): Promise<void> {
    this.#hopCount = hopCount;
    return this.#lower(0);
  }

  async wakeIn(delayMs: number): Promise<void> {
    // A Worker's clock stands still while code runs, so the wake would be early by that time.
    await new Promise((resolve) => void setTimeout(resolve, 0));
    await this.#lower(delayMs > 0 ? delayMs : LOOK_MS);
  }

  deadline(): number | null {
    const ends = [...this.#holds].map(({ endsAt }) => endsAt);
    return ends.length === 0 ? null : Math.min(...ends);
  }

  /**
   * The alarm has fired: ticks, and stays until no step is running.
   *
   * @throws what the tick throws if the alarm cannot be set again, so that the platform repeats the alarm
   */
  async alarm(): Promise<void> {
    this.#alarm.fired();
    try {
      await this.#hold();
    } catch (error) {
      // The platform repeats it less and less often, and not at all after six times:
      // https://developers.cloudflare.com/durable-objects/api/alarms/, read 2026-11.
      await this.#lower(RETRY_MS).catch(() => Promise.reject(error));
    }
  }

  /** Like `alarm`, for the safety net, which does not rely on memory. @throws what the tick throws */
  async tick(): Promise<TickOutput> {
    await this.#recall();
    return this.#hold();
  }

  async #hold(): Promise<TickOutput> {
    const held: Hold = {
      endsAt: Date.now() + this.#runLimitMs,
      tripsLeft: this.trips.allow(),
      hopCount: this.#hopCount,
      leavesMore: false,
    };
    this.#hopCount = 0;
    this.#holds.add(held);
    const looking = setInterval(() => this.#lookBeside(held), LOOK_MS);
    try {
      const ticked = this.#run(held);
      this.#inHand.defer(ticked);
      this.#lookAt = Date.now() + BESIDE_MS;
      await this.#inHand.settled();
      if (held.leavesMore) await this.#lower(0);
      await this.armed();
      return await ticked;
    } finally {
      clearInterval(looking);
      this.#holds.delete(held);
    }
  }

  /** Running ticks learn of nothing new until their steps end, so another tick looks. Its failures have been logged. */
  #lookBeside(held: Hold): void {
    if (Date.now() < this.#lookAt) return;
    this.#lookAt = Date.now() + BESIDE_MS;
    const looked = this.#run(held).then(({ moreDue, processed }) => {
      held.leavesMore ||= moreDue && processed === 0;
    });
    this.#inHand.defer(looked);
  }

  async #run({ hopCount, tripsLeft }: Hold): Promise<TickOutput> {
    try {
      return await drive(this.#attachment.engine(), this, { ...this.#bounds, hopCount, tripsLeft });
    } catch (error) {
      this.#bounds.logger.log("error", "tick.failed", toLogFields(error));
      throw error;
    }
  }

  async #recall(): Promise<void> {
    this.#alarm.recall(await this.#ctx.storage.getAlarm());
  }

  #lower(delayMs: number): Promise<void> {
    this.#lookAt = Math.min(this.#lookAt, Date.now() + delayMs);
    return this.#alarm.wakeIn(delayMs);
  }
}
