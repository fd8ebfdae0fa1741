/** The steps of a run as workflow code sees them. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import type { RemovedKind, WorkflowStep } from "../authoring/step.ts";
import type { ReceivedEvent, WaitForEventOptions } from "../authoring/events.ts";
import type { Attempted } from "../authoring/scopes.ts";
import type { StepOptions } from "../authoring/step-options.ts";
import { WorkflowError } from "../core/errors.ts";
import { attempt } from "../core/attempt.ts";
import { late } from "../core/late.ts";
import type { DoBody } from "./body.ts";
import { eventSteps, otherOutcomes } from "./late-code.ts";
import { createLateSteps } from "./late-steps.ts";
import { createOpenCall, type OpenCall } from "./open-call.ts";
import { openLate } from "./open-late.ts";
import type { Identified } from "./identify.ts";
import { openScope, type StepsAt } from "./open-scope.ts";
import type { ScopeKind } from "./session-scopes.ts";
import { unlinked } from "./outcome.ts";
import type { Place } from "./place.ts";
import { repeatablesAt } from "./repeatable.ts";
import type { Session } from "./session-interface.ts";
import { createSleepKind } from "./sleep-step.ts";
import { type GivenDo, StepKinds, undoing } from "./step-kinds.ts";
import { passRemoved, pinVersion } from "./versions.ts";

/** The steps of a session as workflow code sees them, at any place in the run. */
export function createSteps(session: Session, workflow: RegisteredWorkflow): StepsAt {
  const kinds = new StepKinds(session, workflow);
  const create = (isShielded: boolean): StepsAt => {
    const open = createOpenCall(session, isShielded);
    const parts = { session, workflow, stepsAt, kinds, open, isShielded, shielded };
    return (place) => createStepsOf(parts, place) as unknown as WorkflowStep;
  };
  let made: StepsAt | null = null;
  const shielded: StepsAt = (place) => (made ??= create(true))(place);
  const stepsAt: StepsAt = (place) => (place.isShielded ? shielded : plain)(place);
  const plain = create(false);
  return stepsAt;
}

interface StepsParts {
  readonly session: Session;
  readonly workflow: RegisteredWorkflow;
  /** The steps of places inside. */
  readonly stepsAt: StepsAt;
  readonly kinds: StepKinds;
  readonly open: OpenCall;
  readonly isShielded: boolean;
  /** The shielded steps of the same place. */
  readonly shielded: StepsAt;
}

type CallDo = (
  name: string,
  first: StepOptions<unknown> | DoBody,
  second?: DoBody,
) => Promise<unknown>;
type CallWait = (name: string, options: WaitForEventOptions) => Promise<ReceivedEvent<unknown>>;

/** Not a private field: if somebody wraps the steps in a proxy, `this` in the getters is the proxy. */
const OTHERS = Symbol("others");

/** The steps of a place, as functions that need no `this`. Those that most runs never call are all created with the first of them. */
interface Steps extends Pick<WorkflowStep, "sleep"> {
  readonly [OTHERS]: () => OtherSteps;
  readonly do: CallDo;
  readonly waitForEvent: CallWait;
}

/** The shared prototype: a getter for each of the other steps. */
const GETTERS = {};

/**
 * An object literal instead of a class instance. With function fields in a class instance, V8's minor collections kept the whole
 * session alive, 16 KB per workflow instead of 7, and took several times as long (measured on Node 20.20, 2026-11).
 */
function createStepsOf(parts: StepsParts, place: Place): Steps {
  const { open, kinds } = parts;
  let made: OtherSteps | null = null;
  const steps = {
    __proto__: GETTERS,
    do: (name: string, first: StepOptions<unknown> | DoBody, second?: DoBody) =>
      typeof first === "function" && second === undefined
        ? open(place, kinds.do, name, { body: first })
        : openDo({ ...parts, place }, name, {
            options: first as StepOptions<unknown>,
            body: second as DoBody,
          }),
    sleep: (name, duration) => open(place, kinds.sleep, name, duration) as Promise<void>,
    waitForEvent: (name, options) =>
      unlinked(openWait({ ...parts, place }, name, options)) as Promise<ReceivedEvent<unknown>>,
    [OTHERS]: () => (made ??= createOtherSteps(parts, place, steps)),
  } satisfies Steps & { readonly __proto__: object } as Steps;
  if (!("shielded" in steps)) defineGetters(Object.keys(steps[OTHERS]()));
  return steps;
}

interface At extends StepsParts {
  readonly place: Place;
}

const sleepUntil = late(() => import("./sleep-until.ts"));

const openWait = (at: At, name: string, options: WaitForEventOptions): Promise<unknown> =>
  openLate(at, {
    type: "waitForEvent",
    name,
    code: eventSteps,
    openBy: ({ createWaitKind }, called) =>
      at.open(at.place, createWaitKind(at.session, at.workflow), called, options),
  });

/** Opens a step with options. The options of its undo are read by code that is loaded then. */
function openDo(at: At, name: string, given: GivenDo): Promise<unknown> {
  const openBy = (called: string | Identified): Promise<unknown> =>
    at.open(at.place, at.kinds.do, called, given);
  // If the options cannot be read, the call is refused later.
  return attempt(() => given.options?.undo, undefined) === undefined
    ? openBy(name)
    : openLate(at, { type: "do", name, code: undoing, openBy: (_, called) => openBy(called) });
}

type OtherName = Exclude<keyof WorkflowStep, "do" | "sleep" | "waitForEvent">;
type OtherSteps = Readonly<Record<OtherName, unknown>>;

/** Defines a getter for each of the other steps, under the names with which they were created. */
function defineGetters(names: readonly string[]): void {
  for (const name of names as readonly OtherName[])
    Object.defineProperty(GETTERS, name, {
      get(this: Steps) {
        return this[OTHERS]()[name];
      },
    });
}

function createOtherSteps(
  { session, workflow, stepsAt, open, isShielded, shielded }: StepsParts,
  place: Place,
  { do: doStep, waitForEvent: wait }: Pick<Steps, "do" | "waitForEvent">,
): OtherSteps {
  const at = { session, place, open, stepsAt, isShielded };
  const scope =
    (kind: ScopeKind) =>
    (name: string, ...given: readonly unknown[]) =>
      openScope(at, kind, name, given);
  return {
    sleepUntil: (name: string, timestamp: Date | number) =>
      openLate(at, {
        type: "sleep",
        name,
        code: sleepUntil,
        openBy: ({ sleepTo }, called) =>
          open(place, createSleepKind(session, sleepTo), called, timestamp),
      }),
    ...createLateSteps(at, workflow),
    tryWaitForEvent: (...call: Parameters<CallWait>) =>
      unlinked(wait(...call).catch(timeoutAsNull)),
    join: scope("join"),
    race: scope("race"),
    map: scope("map"),
    loop: scope("loop"),
    try: scope("try"),
    tryDo: (...call: Parameters<CallDo>) => attempted(session, doStep(...call)),
    ...repeatablesAt(session, place),
    version: (name: string, latest: number) => pinVersion(session, place, name, latest),
    removed: (name: string, kind: RemovedKind) => passRemoved(session, place, name, kind),
    get shielded() {
      return shielded(place);
    },
  };
}

/** Turns a timeout into null; throws any other error. */
function timeoutAsNull(error: unknown): null {
  if (WorkflowError.is(error) && error.code === "EVENT_TIMEOUT") return null;
  throw error;
}

/** Turns a promise into one that never rejects. */
const attempted = (session: Session, promise: Promise<unknown>): Promise<Attempted<unknown>> =>
  promise.then(
    (value) => ({ ok: true, value }),
    (error: unknown) =>
      new Promise((resolve) =>
        session.code.with(otherOutcomes, ({ toFailed }) => resolve(toFailed(error))),
      ),
  );
