/** A workflow whose calls, outcomes and bodies are watched. Its behaviour stays the same. */
import type { WorkflowDefinition } from "../../authoring/define-workflow.ts";
import type { WorkflowEvent, WorkflowStep } from "../../authoring/step.ts";
import type { StepContext } from "../../authoring/step-options.ts";
import { escapeName, toPath, toStepKey } from "../../core/step-key.ts";
import { toErrorText, toText, type Trace } from "./trace.ts";

/** The watcher. */
export interface Watch {
  /** The function is called. null: this instance is not watched. */
  beginReplay(event: WorkflowEvent<unknown>): Replay | null;
}

/** One call of the workflow's function. */
export interface Replay {
  readonly trace: Trace;
  /** Runs a body of a step, or an undo. @param run takes the context that replaces the body's own */
  runBody(context: StepContext, run: (context: StepContext) => unknown): unknown;
}

/** The same workflow, watched. */
export function traceWorkflow(workflow: WorkflowDefinition, watch: Watch): WorkflowDefinition {
  const run: WorkflowDefinition["run"] = async (event, step, context) => {
    const replay = watch.beginReplay(event);
    if (replay === null) return workflow.run(event, step, context);
    const { trace } = replay;
    trace.told("", "params", toText(event.payload));
    try {
      const output = await workflow.run(
        event,
        traceSteps(step, { replay, path: "", isLoop: false }),
        context,
      );
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
  /** Its functions are iterations, whose arguments may come from history. */
  readonly isLoop: boolean;
}

type AnyCall = (...given: readonly unknown[]) => unknown;

/** Watches every method, including future ones: it finds the functions in their arguments. */
function traceSteps(
  step: WorkflowStep,
  at: At,
  uses: Map<string, number> = new Map(),
): WorkflowStep {
  const { trace } = at.replay;
  const call = (method: string, real: AnyCall, given: readonly unknown[]): unknown => {
    const [first, ...rest] = given;
    // The step itself refuses any other type of name.
    const name = typeof first === "string" ? first : "";
    const label = first === undefined ? `step.${method}` : `step.${method} "${name}"`;
    const use = (uses.get(label) ?? 0) + 1;
    uses.set(label, use);
    trace.did(at.path, `called ${label}`);
    const part = toStepKey(name, use);
    const inner = { ...at, path: toPath(at.path, part), isLoop: method === "loop" };
    const told = (text: string): void =>
      trace.told(at.path, use === 1 ? label : `${label}#${use}`, text);
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
      if (method === "shielded") return traceSteps(real as WorkflowStep, at, uses);
      if (typeof method !== "string" || typeof real !== "function") return real;
      return (...given: readonly unknown[]) => call(method, real as AnyCall, given);
    },
  });
}

/** Watches functions in the arguments of a step: bodies, branches and undos, also inside options. */
function watchIn(given: unknown, at: At, depth: number): unknown {
  if (typeof given === "function") return watchFunction(given as AnyCall, at);
  if (depth === 0 || !isPlain(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      // The options of a loop; in other scopes, branches may have any name.
      if (at.isLoop && name === "state") return [name, value];
      const path = at.isLoop && name === "run" ? at.path : toPath(at.path, escapeName(name));
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
    return runBranch(at, others, (inner) => callWith(0, traceSteps(step, inner)));
  };
}

/** Runs a branch, an iteration, or an item of a map. @param others its arguments besides the steps */
function runBranch(at: At, others: readonly unknown[], run: (inner: At) => unknown): unknown {
  const { trace } = at.replay;
  // Iterations and items get their number.
  const index = typeof others[1] === "number" ? `/${at.isLoop ? "~" : ""}${others[1]}` : "";
  const inner = { ...at, path: `${at.path}${index}` };
  trace.did(inner.path, "began");
  if (at.isLoop) trace.told(inner.path, "state", toText(others));
  else trace.did(inner.path, `was given ${toText(others)}`);
  const end = run(inner);
  if (end instanceof Promise)
    void end.then(
      (value) => trace.did(inner.path, `returned ${toText(value)}`),
      (error: unknown) => trace.did(inner.path, `threw ${toErrorText(error)}`),
    );
  return end;
}

const has = (given: unknown, name: string): boolean =>
  typeof given === "object" && given !== null && name in given;

const isContext = (given: unknown): boolean =>
  has(given, "stepKey") && has(given, "idempotencyKey") && has(given, "signal");

const isStep = (given: unknown): given is WorkflowStep => has(given, "do") && has(given, "sleep");
