/**
 * Pause, resume, cancel, terminate, restart and retry as a table: for each command and current status, the next state of the instance
 * and of its task. It is a table and not code, so that SQL stores can compile it into one conditional statement (one trip); the
 * memory store reads it directly. A status that a command neither lists nor refuses is left alone (a no-op).
 *
 * @source founding spec 000 §9.4
 */
import type { EndRequest, InstanceRecord } from "../model/records.ts";
import { isTerminal, type InstanceStatusName } from "../model/status.ts";

/** The commands of callers. */
export type LifecycleCommand = "pause" | "resume" | "cancel" | "terminate" | "restart" | "retry";

/**
 * The commands of a store. `rollback`: `terminate`, after undoing what the run has done. `restartWithNewKeys`: `restart`, with new
 * idempotency keys for all steps.
 */
export type StoreCommand = LifecycleCommand | "rollback" | "restartWithNewKeys";

export interface Transition {
  readonly to: InstanceStatusName;
  /** `delete`: no task; `enqueue`: delete it and make a new one, due now; `keep`: leave it (a runner holds it). */
  readonly task: "delete" | "enqueue" | "keep";
  /** The next value of the instance's `pauseRequested` flag. */
  readonly pauseRequested: boolean;
}

export interface LifecycleRule {
  /**
   * `terminal`: refuses terminal statuses (INSTANCE_TERMINAL). `others`: refuses every status that it does not list, and runs that
   * were rolled back (INSTANCE_NOT_ERRORED).
   */
  readonly refuses: "terminal" | "others" | "none";
  /**
   * `new`: `runNumber` + 1, with times, output and error cleared; earlier runs are kept. `reopened`: the failed run continues with its
   * end and error cleared, and its steps as `core/decide/reopen.ts` says.
   */
  readonly run: "same" | "new" | "reopened";
  /** Idempotency keys of a new run's steps: those of the run before, or new ones. @default those of the run before */
  readonly keys?: "new";
  /** Kind of the task that `enqueue` makes. */
  readonly taskKind: "run" | "resume";
  /** How it asks the run to end. A run with a delayed start does not wait for its start then. null: it does not ask. */
  readonly asks: EndRequest | null;
  readonly transitions: Partial<Record<InstanceStatusName, Transition>>;
}

export const paused: Transition = { to: "paused", task: "delete", pauseRequested: false };
const terminated: Transition = { to: "terminated", task: "delete", pauseRequested: false };
const queued: Transition = { to: "queued", task: "enqueue", pauseRequested: false };
const running: Transition = { to: "running", task: "keep", pauseRequested: false };

/** The run ends by itself: a waiting or paused run continues in order to end, a running one learns of it from its next commit. */
const askToEnd = (asks: EndRequest): LifecycleRule => ({
  refuses: "terminal",
  run: "same",
  taskKind: "resume",
  asks,
  transitions: { queued, waiting: queued, paused: queued, running, waitingForPause: running },
});

/** Any run may be restarted, whichever process holds it. */
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
      // The pause was not carried out yet. The run's process continues, or releases the run if it was about to pause.
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

/** Whether a command ends the current run at once, so that its children are left. */
export const leavesChildren = (command: StoreCommand): boolean =>
  command === "terminate" || LIFECYCLE[command].run === "new";

/** Why a command is refused; null: it is not. A run that was rolled back cannot continue, because its steps are undone. */
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

/** The run's end request after a command. `rollback` and `terminate`, which leave author code, are cleared only by a new run. */
export function toEndRequest(
  { asks, run }: Pick<LifecycleRule, "asks" | "run">,
  before: EndRequest | null,
): EndRequest | null {
  if (run === "new") return null;
  if (before === "rollback" || before === "terminate") return before;
  if (run === "reopened") return null;
  // Author code was already given the deadline as the reason, and does not get another one.
  return before === "deadline" && asks === "cancel" ? before : (asks ?? before);
}
