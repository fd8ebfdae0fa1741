/** Checks the listeners that an engine is given. */
import { assertKnownOptions } from "../core/known-names.ts";
import { invalidOption } from "../http/invalid-option.ts";
import type { LifecycleEvent } from "../ports/lifecycle.ts";

const EVENTS: Readonly<Record<LifecycleEvent, 1>> = {
  instanceCreated: 1,
  instanceStarted: 1,
  instanceParked: 1,
  instanceEnded: 1,
  runFailed: 1,
  runClaimed: 1,
  runLeft: 1,
  attemptStarted: 1,
  attemptFailed: 1,
  attemptSucceeded: 1,
  waitBegun: 1,
  waitEnded: 1,
  claimed: 1,
  tickBegun: 1,
  tickEnded: 1,
};

/** @throws {WorkflowError} UNKNOWN_OPTION — there is no such event; DEPLOY_OPTIONS_INVALID — a listener is not a function */
export function assertListeners(listeners: object = {}): void {
  assertKnownOptions("listeners", listeners, EVENTS);
  for (const [name, listener] of Object.entries(listeners))
    if (typeof listener !== "function" && listener !== undefined)
      throw invalidOption(`listeners.${name}`, "a function");
}
