/**
 * `step.callback`. The call gives a URL and has no row: it follows from the run, the step's key and a secret. Its wait is
 * opened by `payload()`, under the key that the call has found.
 */
import type { Callback, CallbackOptions } from "../authoring/step.ts";
import { toCallbackEvent } from "../core/callback.ts";
import type { StepIdentity } from "../core/decide/step-write.ts";
import type { WaitForEventCommand } from "../core/decide/wait-for-event.ts";
import { callbackDisabled } from "../core/errors.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { DurationMs } from "../core/model/records.ts";
import { type Identified, identify } from "./identify.ts";
import { type OpenCall, type StepKind, warnAfterEnd } from "./open-call.ts";
import { Outcome, unlinked } from "./outcome.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session.ts";
import { toReceivedEvent, toTimeoutMs, toWaitDecision } from "./wait-step.ts";

type Call = (place: Place, name: string, options?: CallbackOptions) => Promise<Callback<unknown>>;

const OPTIONS: Readonly<Record<keyof CallbackOptions, 1>> = { timeout: 1 };

export function createCallCallback(session: Session, open: OpenCall): Call {
  const waitKind = createCallbackKind(session);
  return (place, name, options = {}) => {
    const outcome = new Outcome(place);
    if (session.isOver) warnAfterEnd(session, name);
    else
      try {
        assertKnownOptions("step.callback", options, OPTIONS);
        const timeoutMs = toTimeoutMs(session, options.timeout);
        const identified = identify(session, place, "waitForEvent", name);
        const wait = (): Promise<unknown> => open(place, waitKind, identified ?? name, timeoutMs);
        if (identified !== null)
          session.scopes.prepare(outcome, prepare(session, { identified, outcome, wait }));
      } catch (error) {
        session.refuse(() => outcome.reject(error));
      }
    return unlinked(outcome.promise) as Promise<Callback<unknown>>;
  };
}

interface Called {
  readonly identified: Identified;
  readonly outcome: Outcome;
  readonly wait: () => Promise<unknown>;
}

/** @returns what tells author code. @throws {WorkflowError} CALLBACK_DISABLED */
function prepare(session: Session, { identified, outcome, wait }: Called): Promise<() => void> {
  const { callbacks } = session.context;
  if (callbacks === null) throw callbackDisabled();
  // It brings the run nowhere by itself: a loop of nothing else is stopped.
  session.refusals.noteIdle();
  const { workflowName, instanceId, runNumber } = session.claimed.run;
  const ref = { workflowName, instanceId, runNumber, stepKey: identified.stepKey };
  const sign = async (): Promise<() => void> => {
    const { signCallback } = await import("./callback-token.ts");
    const token = await signCallback(callbacks, ref);
    const url = `${callbacks.url}/callbacks/${token}`;
    return () => outcome.resolve({ url, token, payload: once(wait) } satisfies Callback<unknown>);
  };
  return sign();
}

/** However often it is asked for, it is one wait. */
function once(wait: () => Promise<unknown>): Callback<unknown>["payload"] {
  let payload: Promise<unknown> | undefined;
  return () => (payload ??= unlinked(wait().then((event) => toReceivedEvent(event).payload)));
}

const createCallbackKind = (
  session: Session,
): StepKind<DurationMs, Omit<WaitForEventCommand, keyof StepIdentity>> => ({
  type: "waitForEvent",
  check: (timeoutMs, stepKey) => ({
    eventType: toCallbackEvent(stepKey),
    timeoutMs,
    // Who was quicker than the run has been heard too.
    since: "run",
  }),
  toDecide: (identity, command) => toWaitDecision(session, { ...identity, ...command }),
});
