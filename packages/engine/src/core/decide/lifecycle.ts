/**
 * Pause, resume, terminate, restart as a table: for each command and present status, what becomes of the instance and
 * of its task. A table and not code, so that SQL stores compile it into one conditional statement (one trip) and the
 * memory store reads it as it is. Statuses that a command does not list are left alone (a no-op).
 *
 * @source founding spec 000 §9.4
 */
import type { InstanceStatusName } from "../model/status.ts";

export type LifecycleCommand = "pause" | "resume" | "terminate" | "restart";

export interface Transition {
  readonly to: InstanceStatusName;
  /** `delete`: no task; `enqueue`: delete it and make a new one, due now; `keep`: leave it (a runner holds it). */
  readonly task: "delete" | "enqueue" | "keep";
  /** What becomes of the instance's `pauseRequested` flag. */
  readonly pauseRequested: boolean;
}

export interface LifecycleRule {
  /** A terminal instance refuses the command (INSTANCE_TERMINAL). */
  readonly refusedWhenTerminal: boolean;
  /** The command starts a new run: `runNumber` + 1, times, output and error cleared; earlier runs are kept. */
  readonly startsNewRun: boolean;
  /** Kind of the task that `enqueue` makes. */
  readonly taskKind: "run" | "resume";
  readonly transitions: Partial<Record<InstanceStatusName, Transition>>;
}

const paused: Transition = { to: "paused", task: "delete", pauseRequested: false };
const terminated: Transition = { to: "terminated", task: "delete", pauseRequested: false };
const queued: Transition = { to: "queued", task: "enqueue", pauseRequested: false };

export const LIFECYCLE: Readonly<Record<LifecycleCommand, LifecycleRule>> = {
  pause: {
    refusedWhenTerminal: true,
    startsNewRun: false,
    taskKind: "resume",
    transitions: {
      queued: paused,
      waiting: paused,
      running: { to: "waitingForPause", task: "keep", pauseRequested: true },
    },
  },
  resume: {
    refusedWhenTerminal: false,
    startsNewRun: false,
    taskKind: "resume",
    transitions: {
      paused: queued,
      // The pause was not carried out yet: its runner goes on, or hands over if it was about to pause.
      waitingForPause: { to: "running", task: "keep", pauseRequested: false },
    },
  },
  terminate: {
    refusedWhenTerminal: true,
    startsNewRun: false,
    taskKind: "resume",
    transitions: {
      queued: terminated,
      running: terminated,
      waiting: terminated,
      waitingForPause: terminated,
      paused: terminated,
    },
  },
  restart: {
    refusedWhenTerminal: false,
    startsNewRun: true,
    taskKind: "run",
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
  },
};
