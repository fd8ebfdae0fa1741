/** @module For authors of adapters: one invocation of a platform that only ticks, its exact wakes, its handlers, and what it deploys. The page [Write an adapter](https://escapement.dev/guides/write-an-adapter) says how. */
export { toLogFields } from "./core/errors.ts";
export type { AttachedEngine, DrivingPlatform, WakeHint } from "./ports/platform.ts";
export type { TripCounter } from "./ports/trips.ts";

// Driving: ticks until nothing is due, and wakes for what comes next.
export { wakeBy } from "./drive/wake-by.ts";
export { createAttachment } from "./drive/attachment.ts";
export { createDeferrals, type Deferrals } from "./drive/deferrals.ts";
export { drive, type DriveEngine, type DriveOptions, IDLE_TICK, isBlind } from "./drive/drive.ts";
export { createTripCounter } from "./drive/trip-counter.ts";
export { assertPlatformOptions, DRIVE_OPTIONS } from "./drive/platform-options.ts";
export { createWakeArm, SAME_WAKE_MS } from "./drive/wake-arm.ts";

// For processes that stay.
export { loadAll } from "./core/late.ts";
export {
  createLoopPlatform,
  type LoopPlatform,
  type LoopPlatformOptions,
  type RunningPlatform,
} from "./drive/loop-platform.ts";
export { endAsStopped } from "./drive/end-as-stopped.ts";
export type { SignalSource } from "./drive/signal-source.ts";

// For queues that can delay messages.
export { holdLease } from "./drive/hold-lease.ts";
export { createPersistentQueue } from "./drive/persistent-queue.ts";
export {
  createQueueDrain,
  type LeasedQueue,
  type QueueDrain,
  type StopSource,
} from "./drive/queue-drain.ts";
export { createQueueWakes, type QueueWakes } from "./drive/queue-wakes.ts";
export { shareNext } from "./drive/share-next.ts";
export {
  BARE_WAKE,
  joinWakes,
  parseWakeMessage,
  toWakeMessage,
  type WakeMessage,
} from "./drive/wake-message.ts";

// For schedules that fire each minute.
export { createMinuteHold, type MinuteHold } from "./drive/minute-hold.ts";
export { nextMinuteAt } from "./drive/minute.ts";
export { createWakeNote, noteTicks, type NoteStore, type WakeNote } from "./drive/wake-note.ts";

// Handlers.
export { answerRefusal } from "./http/late-answer.ts";
export type { FetchEngine } from "./http/fetch-handler.ts";
export { DEFAULT_MOUNT_ROUTE, TICK_PATH } from "./http/mount.ts";
export { createTickMatch, createWorkflowMatch } from "./http/request-match.ts";
export { createSelfCall, type SelfCallOptions } from "./http/self-call.ts";
export type { TickOptions } from "./http/tick-guard.ts";
export { createTickHandler, type TickHandlerOptions } from "./http/tick-handler.ts";

// Deployment: keeping a process running, where it may tick, and options that a platform does not check.
export { isDailyCron, isPlainCron } from "./deploy/cron-expression.ts";
export {
  assertOption,
  type DeployFile,
  type Deployment,
  deployService,
  type ServiceOptions,
  type ServiceRuntime,
} from "./deploy/deploy-service.ts";
export {
  type HttpServer,
  type ListenAddress,
  type ListenOptions,
  toHttpServer,
  toListenAddress,
  toListenError,
} from "./deploy/server-handle.ts";
export { platformOf } from "./deploy/platform-of.ts";
export { createTickPermit, type TickPermit } from "./deploy/tick-permit.ts";
