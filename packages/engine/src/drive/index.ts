/** @module For adapters: one invocation of a platform that only ticks, its exact wakes, and what it has in hand. */
export { toLogFields } from "../core/errors.ts";
export type { AttachedEngine, DrivingPlatform, WakeHint } from "../ports/platform.ts";
export type { TripCounter } from "../ports/trips.ts";
export { asWake } from "./as-wake.ts";
export { type Attachment, createAttachment } from "./attachment.ts";
export { createDeferrals, type Deferrals } from "./deferrals.ts";
export { createDrain, type Drain, type DrainOptions } from "./drain.ts";
export { drive, type DriveEngine, type DriveOptions, IDLE_TICK, isBlind } from "./drive.ts";
export { holdLease } from "./hold-lease.ts";
export { createMinuteHold, type MinuteHold, type MinuteHoldOptions } from "./minute-hold.ts";
export { nextMinuteAt } from "./minute.ts";
export {
  createLoopPlatform,
  type LoopPlatform,
  type LoopPlatformOptions,
  type RunningPlatform,
  type SignalSource,
  type StartOptions,
} from "./loop-platform.ts";
export {
  createQueueDrain,
  type LeasedQueue,
  type QueueDrain,
  type QueueDrainOptions,
  type StopSource,
  type TakenWake,
} from "./queue-drain.ts";
export { createQueueWakes, type DelayQueue, type QueueWakes } from "./queue-wakes.ts";
export {
  createWakeNote,
  noteTicks,
  type NoteStore,
  type WakeNote,
  type WakeNoteOptions,
} from "./wake-note.ts";
export { createPersistentQueue } from "./persistent-queue.ts";
export { shareNext } from "./share-next.ts";
export { createTripCounter } from "./trip-counter.ts";
export { createWakeArm, SAME_WAKE_MS, type WakeArm, type WakeArmOptions } from "./wake-arm.ts";
export {
  BARE_WAKE,
  joinWakes,
  parseWakeMessage,
  toWakeMessage,
  type WakeMessage,
} from "./wake-message.ts";
