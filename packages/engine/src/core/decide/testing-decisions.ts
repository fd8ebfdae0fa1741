/** What decisions are made of. */
import type { StepRecord } from "../model/records.ts";

/** Instant of the decisions. */
export const NOW = 1000;
/** Who the step is. */
export const identity = { newId: "new", stepKey: "s", name: "s" };
/** The record of a step. */
export const step = (over: Partial<StepRecord> = {}): StepRecord => ({
  id: "id",
  stepKey: "s",
  name: "s",
  type: "do",
  status: "waiting",
  attempts: 0,
  lostAttempts: 0,
  maxAttempts: 3,
  timeoutMs: 10,
  nextRetryAt: null,
  wakeAt: null,
  waitEventType: null,
  result: null,
  error: null,
  attemptStartedAt: null,
  runner: null,
  failedAttempts: null,
  settledOrder: null,
  version: 0,
  createdAt: 0,
  updatedAt: 0,
  ...over,
});
