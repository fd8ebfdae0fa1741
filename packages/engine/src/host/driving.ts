/** @module For adapters: one invocation of a platform that only ticks, its exact wakes, and what it has in hand. */
export { createDeferrals, type Deferrals } from "./deferrals.ts";
export { drive, type DriveEngine, type DriveOptions } from "./drive.ts";
export { clampWake, createWakeArm, type WakeArm, type WakeArmOptions } from "./wake-arm.ts";
