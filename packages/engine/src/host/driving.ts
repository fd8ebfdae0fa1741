/** @module For adapters: one invocation of a platform that only ticks, its exact wakes, and what it has in hand. */
export { createDeferrals, type Deferrals } from "./deferrals.ts";
export { drive, type DriveEngine, type DriveOptions } from "./drive.ts";
export { createMinuteHold, type MinuteHold, type MinuteHoldOptions } from "./minute-hold.ts";
export {
  keepRunning,
  type KeepRunningOptions,
  type LoopEngine,
  type Scheduler,
  type SignalSource,
} from "./keep-running.ts";
export { clampWake, createWakeArm, type WakeArm, type WakeArmOptions } from "./wake-arm.ts";
