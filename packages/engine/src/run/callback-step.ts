/**
 * @module `step.callback`. The call returns a URL and needs no row, because the URL is computed from the run, the step's key
 * and a secret. `payload()` opens the wait, under the key that the call has found. Loaded when a run first calls it.
 */
import type { Callback, CallbackOptions } from "../authoring/callback.ts";
import { toCallbackEvent } from "../core/callback.ts";
import type { StepIdentity } from "../core/model/step-record.ts";
import type { WaitForEventCommand } from "../core/decide/wait-for-event.ts";
import { callbackDisabled } from "../core/disabled.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { DurationMs } from "../core/model/records.ts";
import { parseCallbacks } from "./callback-options.ts";
import { signCallback } from "./callback-token.ts";
import type { StepKind } from "./open-call.ts";
import type { Called } from "./open-prepared.ts";
import { unlinked } from "./outcome.ts";
import type { Session } from "./session-interface.ts";
import { toEventData } from "./event-data.ts";
import { toWaitDecision } from "./event-wait.ts";
import { toTimeoutMs } from "./wait-step.ts";

const OPTIONS: Readonly<Record<keyof CallbackOptions, 1>> = { timeout: 1 };

/** A call of `step.callback`. */
export interface CalledCallback extends Called {
  readonly options: CallbackOptions;
}

/**
 * Signs the URL.
 *
 * @returns a function that tells author code
 * @throws {WorkflowError} CALLBACK_DISABLED, INVALID_DURATION, UNKNOWN_OPTION
 */
export async function prepareCallback(called: CalledCallback): Promise<() => void> {
  const { session, place, identified, options, outcome, open } = called;
  // The call alone is no progress: a loop that does nothing else is stopped.
  session.refusals.noteIdle();
  assertKnownOptions("step.callback", options, OPTIONS);
  const timeoutMs = toTimeoutMs(session, options.timeout);
  const callbacks = parseCallbacks(session.context);
  if (callbacks === null) throw callbackDisabled();
  const { workflowName, instanceId, runNumber } = session.claimed.run;
  const { stepKey } = identified;
  const token = await signCallback(callbacks, { workflowName, instanceId, runNumber, stepKey });
  const waitKind = createWaitKind(session);
  const wait = (): Promise<unknown> => open(place, waitKind, identified, timeoutMs);
  const callback: Callback<unknown> = {
    url: `${callbacks.url}/callbacks/${token}`,
    token,
    payload: once(wait),
  };
  return () => outcome.resolve(callback);
}

/** Makes a function whose calls all share one wait. */
function once(wait: () => Promise<unknown>): Callback<unknown>["payload"] {
  let payload: Promise<unknown> | undefined;
  return () => (payload ??= unlinked(wait().then((event) => toEventData(event).payload)));
}

const createWaitKind = (
  session: Session,
): StepKind<DurationMs, Omit<WaitForEventCommand, keyof StepIdentity>> => ({
  type: "waitForEvent",
  check: (timeoutMs, stepKey) => ({
    eventType: toCallbackEvent(stepKey),
    timeoutMs,
    // A payload that came before the wait counts, too.
    since: "run",
  }),
  toDecide: (identity, command) => toWaitDecision(session, { ...identity, ...command }),
});
