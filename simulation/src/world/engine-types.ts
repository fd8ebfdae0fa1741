/** Types only: what the simulation reads of the engine's ports. Nothing here is a value: the oracle shares no code with the engine. */
export type { ChildCreated, Commit, When } from "../../../packages/engine/src/core/model/change.ts";
export type {
  EventRecord,
  InstanceRecord,
  RunRef,
  SettledStep,
  StepRecord,
} from "../../../packages/engine/src/core/model/records.ts";
export type { Host } from "../../../packages/engine/src/ports/host.ts";
export type { HeldRun } from "../../../packages/engine/src/ports/tick.ts";
export type { ClaimedRun, ClaimResult } from "../../../packages/engine/src/ports/claim.ts";
export type { Store } from "../../../packages/engine/src/ports/store.ts";
export type { SendEventResult } from "../../../packages/engine/src/ports/send-event.ts";
export type {
  ControlResult,
  RestartOrCreateResult,
} from "../../../packages/engine/src/ports/control.ts";
export type { CommitResult } from "../../../packages/engine/src/ports/commit.ts";
export type { CreateResult, NewInstance } from "../../../packages/engine/src/ports/create.ts";
export type { UpdateRequest, UpdateResult } from "../../../packages/engine/src/ports/update.ts";
export type {
  DeliverRequest,
  DeliverResult,
  EmitRequest,
  EmitResult,
} from "../../../packages/engine/src/ports/topics.ts";
export type { ProgressMade } from "../../../packages/engine/src/core/model/change.ts";
export type { ProgressRecord } from "../../../packages/engine/src/core/progress.ts";
export type { ProgressView } from "../../../packages/engine/src/ports/progress-service.ts";
export type { HistoryPage } from "../../../packages/engine/src/ports/pages.ts";
