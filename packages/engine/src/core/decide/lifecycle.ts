/**
 * Pause, resume, cancel, terminate, restart, retry as a table: for each command and present status, what becomes of the instance and
 * of its task. A table and not code, so that SQL stores compile it into one conditional statement (one trip) and the
 * memory store reads it as it is. Statuses that a command neither lists nor refuses are left alone (a no-op).
 *
 * @source founding spec 000 §9.4
 */
import type { EndRequest, InstanceRecord } from "../model/records.ts";
import { isTerminal, type InstanceStatusName } from "../model/status.ts";

/** What callers ask for. */
export type LifecycleCommand = "pause" | "resume" | "cancel" | "terminate" | "restart" | "retry";

/**
 * What a store is asked for. `rollback`: `terminate`, once what the run has done is undone. `restartWithNewKeys`: `restart`, and no
 * step has an idempotency key that one had before.
 */
export type StoreCommand = LifecycleCommand | "rollback" | "restartWithNewKeys";

export interface Transition {
  readonly to: InstanceStatusName;
  /** `delete`: no task; `enqueue`: delete it and make a new one, due now; `keep`: leave it (a runner holds it). */
  readonly task: "delete" | "enqueue" | "keep";
  /** What becomes of the instance's `pauseRequested` flag. */
  readonly pauseRequested: boolean;
}

export interface LifecycleRule {
  /** `terminal`: statuses that are (INSTANCE_TERMINAL). `others`: all that it does not list, and what was rolled back (INSTANCE_NOT_ERRORED). */
  readonly refuses: "terminal" | "others" | "none";
  /**
   * `new`: `runNumber` + 1, times, output and error cleared; earlier runs are kept. `reopened`: the run that failed goes on,
   * its end and error cleared, its steps as `core/decide/reopen.ts` says.
   */
  readonly run: "same" | "new" | "reopened";
  /** Idempotency keys of a new run's steps: those that the run before had, or new ones. @default those */
  readonly keys?: "new";
  /** Kind of the task that `enqueue` makes. */
  readonly taskKind: "run" | "resume";
  /** How it asks the run to end, which a run that is to start later does not wait for; null: it asks for nothing. */
  readonly asks: EndRequest | null;
  readonly transitions: Partial<Record<InstanceStatusName, Transition>>;
}

export const paused: Transition = { to: "paused", task: "delete", pauseRequested: false };
const terminated: Transition = { to: "terminated", task: "delete", pauseRequested: false };
const queued: Transition = { to: "queued", task: "enqueue", pauseRequested: false };
const running: Transition = { to: "running", task: "keep", pauseRequested: false };

/** The run ends by itself: one that waits or is paused goes on to do so, one that runs hears of it from its next commit. */
const askToEnd = (asks: EndRequest): LifecycleRule => ({
  refuses: "terminal",
  run: "same",
  taskKind: "resume",
  asks,
  transitions: { queued, waiting: queued, paused: queued, running, waitingForPause: running },
});

/** Any run may be begun anew, whoever holds it. */
export const restart: LifecycleRule = {
  refuses: "none",
  run: "new",
  taskKind: "run",
  asks: null,
  transitions: {
    queued,
    running: queued,
    waiting: queued,
    waitingForPause: queued,
    paused: queued,
    complete: queued,
    errored: queued,
    terminated: queued,
  },
};

export const LIFECYCLE: Readonly<Record<StoreCommand, LifecycleRule>> = {
  pause: {
    refuses: "terminal",
    run: "same",
    taskKind: "resume",
    asks: null,
    transitions: {
      queued: paused,
      waiting: paused,
      running: { to: "waitingForPause", task: "keep", pauseRequested: true },
    },
  },
  resume: {
    refuses: "none",
    run: "same",
    taskKind: "resume",
    asks: null,
    transitions: {
      paused: queued,
      // The pause was not carried out yet: its runner goes on, or hands over if it was about to pause.
      waitingForPause: running,
    },
  },
  cancel: askToEnd("cancel"),
  rollback: askToEnd("rollback"),
  terminate: {
    refuses: "terminal",
    run: "same",
    taskKind: "resume",
    asks: null,
    transitions: {
      queued: terminated,
      running: terminated,
      waiting: terminated,
      waitingForPause: terminated,
      paused: terminated,
    },
  },
  restart,
  restartWithNewKeys: { ...restart, keys: "new" },
  retry: {
    refuses: "others",
    run: "reopened",
    taskKind: "resume",
    asks: null,
    transitions: { errored: queued },
  },
};

/** Whether it ends the present run there and then, and its children are left. */
export const leavesChildren = (command: StoreCommand): boolean =>
  command === "terminate" || LIFECYCLE[command].run === "new";

/** Why a command is refused; null: it is not. What was rolled back cannot go on: its steps are undone. */
export function refusalOf(
  { refuses, run, transitions }: LifecycleRule,
  { status, error }: Pick<InstanceRecord, "status" | "error">,
): "terminal" | "notErrored" | null {
  if (refuses === "terminal" && isTerminal(status)) return "terminal";
  const isLost = run === "reopened" && error?.code === "ROLLED_BACK";
  return refuses === "others" && (transitions[status] === undefined || isLost)
    ? "notErrored"
    : null;
}

/** What the run is asked for after a command. Only a new run takes back what leaves author code. */
export function toEndRequest(
  { asks, run }: Pick<LifecycleRule, "asks" | "run">,
  before: EndRequest | null,
): EndRequest | null {
  if (run === "new") return null;
  if (before === "rollback" || before === "terminate") return before;
  if (run === "reopened") return null;
  // Author code was told of the deadline; it is not told another reason.
  return before === "deadline" && asks === "cancel" ? before : (asks ?? before);
}
