/** Finds and stops what is under way for one step or at one place, before it has an outcome. */
import type { StepWrite } from "../core/model/change.ts";
import { isBelow } from "../core/step-key.ts";
import type { Call } from "./call.ts";
import type { Session } from "./session-interface.ts";
import type { CalledScope } from "./session-scopes.ts";
import type { PendingStart } from "./starts.ts";

/** The calls at a place and inside it. */
export const callsBelow = ({ calls }: Session, path: string): readonly Call[] =>
  calls.all.filter(({ stepKey }) => isBelow(stepKey, path));

/** Open scopes at a place and inside it. */
export const scopesBelow = ({ scopes }: Session, path: string): readonly CalledScope[] =>
  [...scopes.open.values()].filter(({ stepKey }) => isBelow(stepKey, path));

/** Abandons the body of a step. @returns its attempt; null: none was in flight */
export function dropBody({ bodies }: Session, stepKey: string, reason: string): StepWrite | null {
  const dropped = bodies.inFlight.get(stepKey);
  bodies.remove(stepKey);
  dropped?.body.abandon(reason);
  return dropped?.started ?? null;
}

const isOf =
  (stepKey: string) =>
  ({ call }: PendingStart): boolean =>
    call.stepKey === stepKey;

/** Whether a body of the step is about to start. */
export const isStarting = ({ starts }: Session, stepKey: string): boolean =>
  [...starts.queued, ...starts.recorded.map(({ start }) => start)].some(isOf(stepKey));

/** Withdraws the start of a body. @returns its attempt, if a commit has recorded or is recording that it runs */
export function withdrawStart({ starts }: Session, stepKey: string): StepWrite | null {
  const isIt = isOf(stepKey);
  const recorded = starts.recorded.find(({ start }) => isIt(start));
  const queued = starts.queued.find(isIt);
  starts.recorded = starts.recorded.filter((one) => one !== recorded);
  starts.queued = starts.queued.filter((one) => one !== queued);
  if (queued?.isRecorded) return queued.started;
  return recorded?.start.started ?? null;
}
