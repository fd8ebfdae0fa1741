/** The API's answers, in the engine's types. */
import type { EngineService } from "@escapement/engine";

type Answer<Verb extends keyof EngineService> = EngineService[Verb] extends (
  ...args: never[]
) => Promise<infer Output>
  ? Output
  : never;

export type Found = Answer<"findInstances">;
export type Counts = Answer<"countInstances">;
export type View = Answer<"getInstance">;
export type History = Answer<"listHistory">;
export type Description = Answer<"describeInstance">;
export type BulkPreview = Answer<"previewBulk">;
export type BulkView = Answer<"getBulk">;
export type BulkList = Answer<"listBulks">;
export type BulkFilter = BulkView["filter"];
export type Activity = Answer<"measureActivity">;
export type Leases = Answer<"listLeases">;
export type Callbacks = Answer<"listCallbacks">;
export type ProgressPage = Answer<"readProgress">;

export type StepShown = History["steps"][number];
export type EventShown = History["events"][number];
export type ErrorShown = NonNullable<StepShown["error"]>;
export type StatusName = Counts["counts"][number]["status"];

export interface Explanation {
  readonly cause: string;
  readonly sentence: string;
}

/** In the order of a run's life. */
export const STATUSES: readonly StatusName[] = [
  "queued",
  "running",
  "waiting",
  "waitingForPause",
  "paused",
  "complete",
  "errored",
  "terminated",
];

export const isEnded = (status: string): boolean =>
  status === "complete" || status === "errored" || status === "terminated";

export const isSettled = ({ status }: StepShown): boolean =>
  status === "completed" || status === "errored" || status === "cancelled";

/** Steps that take time because they wait for something. */
export const isWait = ({ type }: StepShown): boolean =>
  ["sleep", "waitForEvent", "receive", "waitForTopic", "invoke"].includes(type);

/** The start and end of a step, from everything that is known of it. */
export function spanOf({ createdAt, updatedAt, attemptStartedAt, failedAttempts }: StepShown): {
  readonly from: number;
  readonly to: number;
} {
  const starts = [createdAt, attemptStartedAt, ...failedAttempts.map(({ startedAt }) => startedAt)];
  const known = starts.filter((at) => typeof at === "number");
  return { from: Math.min(...known), to: updatedAt };
}

/** When the body of a step first began, if the step had to wait for a runner; null: it did not wait, or unknown. */
export function begunAfterQueue({
  createdAt,
  attemptStartedAt,
  failedAttempts,
}: StepShown): number | null {
  const begunAt = failedAttempts[0]?.startedAt ?? attemptStartedAt ?? null;
  return begunAt !== null && begunAt > createdAt ? begunAt : null;
}

/**
 * How many milliseconds a step took; null: unknown. If the only row of a step was written at its end and the start of its attempt was not
 * recorded, the duration is unknown.
 */
export function tookMs(step: StepShown): number | null {
  const { from, to } = spanOf(step);
  const isTold = to > from || typeof step.attemptStartedAt === "number";
  return isTold || !isSettled(step) ? to - from : null;
}
