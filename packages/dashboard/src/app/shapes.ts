/** What the API answers, as the engine declares it. */
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

/** Steps that take time because something else does. */
export const isWait = ({ type }: StepShown): boolean =>
  ["sleep", "waitForEvent", "receive", "waitForTopic", "invoke"].includes(type);

/** From when to when a step took, by all that is known of it. */
export function spanOf({ createdAt, updatedAt, attemptStartedAt, failedAttempts }: StepShown): {
  readonly from: number;
  readonly to: number;
} {
  const starts = [createdAt, attemptStartedAt, ...failedAttempts.map(({ startedAt }) => startedAt)];
  const known = starts.filter((at) => typeof at === "number");
  return { from: Math.min(...known), to: updatedAt };
}

/** When its body first began, of a step that was there to do before; null: it did not wait for a runner, or nobody knows. */
export function begunAfterQueue({
  createdAt,
  attemptStartedAt,
  failedAttempts,
}: StepShown): number | null {
  const begunAt = failedAttempts[0]?.startedAt ?? attemptStartedAt ?? null;
  return begunAt !== null && begunAt > createdAt ? begunAt : null;
}

/**
 * Milliseconds that a step took; null: not known. A step whose only row was written when it was done, and of whose attempt no start is told, says nothing of
 * how long it took.
 */
export function tookMs(step: StepShown): number | null {
  const { from, to } = spanOf(step);
  const isTold = to > from || typeof step.attemptStartedAt === "number";
  return isTold || !isSettled(step) ? to - from : null;
}
