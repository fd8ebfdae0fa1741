/** Records with sensible values; a test names only what matters to it. */
import type { Change, StepChange, StepWrite, When } from "../../core/model/change.ts";
import type { ErrorRecord } from "../../core/model/records.ts";
import { toStepWrite } from "../../core/model/step-record.ts";

let count = 0;
const suite = Math.random().toString(36).slice(2, 8).padEnd(6, "0");

/** A row id or token that was never used before. Ids from one process rise. */
export function newId(): string {
  count += 1;
  return `${suite}${String(count).padStart(8, "0")}`;
}

export const stepChange = (write: StepWrite, version = 0): StepChange => ({
  kind: "step",
  step: write,
  version,
  startedKeys: [],
});

/** A completed `do` step, unless overridden. */
export function step(
  stepKey: string,
  { version = 0, ...overrides }: Partial<StepWrite> & { readonly version?: number } = {},
): StepChange {
  const write: StepWrite = {
    ...toStepWrite({ newId: newId(), stepKey, name: stepKey, type: "do" }, null, {
      status: "completed",
      attempts: 1,
      maxAttempts: 6,
      timeoutMs: 600_000,
      result: `"${stepKey}"`,
      settledOrder: (overrides.status ?? "completed") === "completed" ? 1 : null,
    }),
    ...overrides,
  };
  return stepChange(write, version);
}

/** An open wait for an event. */
export const openWait = (
  stepKey: string,
  waitEventType: string,
  wake: When | null,
  id: string = newId(),
): Change =>
  step(stepKey, {
    id,
    type: "waitForEvent",
    status: "waiting",
    waitEventType,
    wake,
    timeoutMs: null,
    result: null,
  });

/** A sleep that has not ended. */
export const openSleep = (stepKey: string, wake: When): StepChange =>
  step(stepKey, { type: "sleep", status: "waiting", wake, timeoutMs: null, result: null });

export const eventConsumed = (eventId: string, stepKey: string): Change => ({
  kind: "eventConsumed",
  eventId,
  stepKey,
});

export const eventReplied = (eventId: string, reply: string): Change => ({
  kind: "eventReplied",
  eventId,
  reply,
});

/** A stored error with only a name and a message. */
export const errorOf = (name: string, message: string): ErrorRecord => ({
  name,
  message,
  code: null,
  details: null,
  stack: null,
  cause: null,
});

/** Filters of `findInstances` that match everything. */
export const ANYTHING = {
  statuses: null,
  createdFrom: null,
  createdBefore: null,
  updatedFrom: null,
  updatedBefore: null,
  tag: null,
  idPrefix: null,
  errorCode: null,
  parent: null,
  isStuck: false,
  pageSize: 100,
} as const;
