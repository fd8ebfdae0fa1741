/** A run that was asked from outside to end. */
import type { HistoryStep } from "../core/model/records.ts";
import type { KnownRun } from "./known-run.ts";

export class AskedEnd {
  /** What the run has done is being undone, whoever asked for it. */
  isUndoing = false;
  /** Leaves author code: nobody waits any more for what it comes to. */
  leave: (error: unknown) => void = () => {};

  /** What author code comes to; rejects when it is left. */
  unlessLeft(running: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.leave = reject;
      Promise.resolve(running).then(resolve, reject);
    });
  }
}

/** Whether a rollback that was asked for has closed a step: it tells author code nothing, nor does a replay of it. */
export const isUntold = (
  { status }: Pick<HistoryStep, "status">,
  { endRequested }: Pick<KnownRun, "endRequested">,
): boolean => status === "cancelled" && endRequested === "rollback";
