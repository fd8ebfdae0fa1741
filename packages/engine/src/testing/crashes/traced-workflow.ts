/** A workflow whose calls, outcomes and bodies are watched; it behaves as it did. */
import type { WorkflowDefinition } from "../../authoring/define-workflow.ts";
import type { StepContext, WorkflowEvent, WorkflowStep } from "../../authoring/step.ts";
import { toErrorText, toText, type Trace } from "./trace.ts";

/** Who watches. */
export interface Watch {
  /** The function was called. null: this instance is not watched. */
  beginReplay(event: WorkflowEvent<unknown>): Replay | null;
}

/** One call of the workflow's function. */
export interface Replay {
  readonly trace: Trace;
  /** Runs a body of a step, or an undo. @param run what is to be given the context in place of the body's own */
  runBody(context: StepContext, run: (context: StepContext) => unknown): unknown;
}

/** The same workflow, watched. */
export function traceWorkflow(workflow: WorkflowDefinition, watch: Watch): WorkflowDefinition {
  const run: WorkflowDefinition["run"] = async (event, step, context) => {
    const replay = watch.beginReplay(event);
    if (replay === null) return workflow.run(event, step, context);
    const { trace } = replay;
    trace.told("", toText(event.payload));
    try {
      const output = await workflow.run(event, traceSteps(step, { replay, path: "" }), context);
      trace.did("", `returned ${toText(output)}`);
      return output;
    } catch (error) {
      trace.did("", `threw ${toErrorText(error)}`);
      throw error;
    }
  };
  return { ...workflow, run };
}

interface At {
  readonly replay: Replay;
  readonly path: string;
}

type AnyCall = (...given: readonly unknown[]) => unknown;

/** Every method is watched, those that will come too: their functions are found by what they are called with. */
function traceSteps(step: WorkflowStep, at: At): WorkflowStep {
  const { trace } = at.replay;
  const uses = new Map<string, number>();
  const call = (method: string, real: AnyCall, given: readonly unknown[]): unknown => {
    const [name, ...rest] = given;
    const label = name === undefined ? `step.${method}` : `step.${method} "${String(name)}"`;
    const use = (uses.get(label) ?? 0) + 1;
    uses.set(label, use);
    trace.did(at.path, `called ${label}`);
    const inner = { ...at, path: toPath(at.path, `${String(name)}${use === 1 ? "" : `#${use}`}`) };
    const told = (text: string): void => trace.told(at.path, `${label}#${use} ${text}`);
    const outcome = real(...given.slice(0, 1), ...rest.map((item) => watchIn(item, inner, 2)));
    if (outcome instanceof Promise)
      void outcome.then(
        (value) => told(`gave ${toText(value)}`),
        (error: unknown) => told(`threw ${toErrorText(error)}`),
      );
    else told(`gave ${toText(outcome)}`);
    return outcome;
  };
  return new Proxy(step, {
    get: (target, method) => {
      const real = Reflect.get(target, method) as unknown;
      if (typeof method !== "string" || typeof real !== "function") return real;
      return (...given: readonly unknown[]) => call(method, real as AnyCall, given);
    },
  });
}

const toPath = (path: string, part: string): string => (path === "" ? part : `${path}/${part}`);

/** Functions in what a step is called with: bodies, branches and undos, which may stand in options. */
function watchIn(given: unknown, at: At, depth: number): unknown {
  if (typeof given === "function") return watchFunction(given as AnyCall, at);
  if (depth === 0 || !isPlain(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (name === "state") return [name, value];
      const path = name === "run" ? at.path : toPath(at.path, name);
      return [name, watchIn(value, { ...at, path }, depth - 1)];
    }),
  );
}

const isPlain = (given: unknown): given is object =>
  typeof given === "object" &&
  given !== null &&
  Object.getPrototypeOf(given) === Object.prototype &&
  !(Symbol.iterator in given);

function watchFunction(given: AnyCall, at: At): AnyCall {
  return function watched(this: unknown, ...parameters: readonly unknown[]): unknown {
    const callWith = (index: number, value: unknown): unknown =>
      Reflect.apply(given, this, parameters.with(index, value));
    const body = parameters.findIndex(isContext);
    if (body >= 0)
      return at.replay.runBody(parameters[body] as StepContext, (context) =>
        callWith(body, context),
      );
    if (!isStep(parameters[0])) return Reflect.apply(given, this, parameters);
    const [step, ...others] = parameters;
    // Iterations and items are given their number.
    const part = typeof others[1] === "number" ? `/~${others[1]}` : "";
    const inner = { ...at, path: `${at.path}${part}` };
    at.replay.trace.did(inner.path, `began with ${toText(others)}`);
    return callWith(0, traceSteps(step, inner));
  };
}

const has = (given: unknown, name: string): boolean =>
  typeof given === "object" && given !== null && name in given;

const isContext = (given: unknown): boolean =>
  has(given, "stepKey") && has(given, "idempotencyKey") && has(given, "signal");

const isStep = (given: unknown): given is WorkflowStep => has(given, "do") && has(given, "sleep");
