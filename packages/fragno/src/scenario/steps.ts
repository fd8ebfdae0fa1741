/** Makes the steps of scenarios: each is a label and what it does to the context. */
import type { ScenarioFragments } from "./fragments-builder.ts";
import type {
  InstanceView,
  WorkflowDuration,
  WorkflowInstance,
  WorkflowsRegistry,
} from "@escapement/engine";
import type { ScenarioSteps, TimeInput } from "./step-inputs.ts";
import type { Input, ScenarioContext, ScenarioStep, ScenarioVars } from "./types.ts";

/**
 * Factories of steps for a registry: keys, params, events and variables are checked by type.
 *
 * ```ts
 * const steps = createScenarioSteps<typeof requiredWorkflows, { session: InstanceView }>();
 * const params = { sessionId: "s1", agentName: "ada" };
 * steps.initializeAndRunUntilIdle({ workflow: "session", params, storeAs: "session" });
 * ```
 */
export function createScenarioSteps<
  TRegistry extends WorkflowsRegistry,
  TVars extends ScenarioVars = Record<never, never>,
  TFragments extends ScenarioFragments = ScenarioFragments,
>(): ScenarioSteps<TRegistry, TVars, TFragments> {
  // The types of the factories depend on the registry; their behaviour does not.
  return STEPS as unknown as ScenarioSteps<TRegistry, TVars, TFragments>;
}

type Context = ScenarioContext<WorkflowsRegistry, ScenarioVars>;
type Step = ScenarioStep<WorkflowsRegistry, Record<string, unknown>>;

/** The input of any step about an instance. */
interface InstanceWords {
  readonly workflow: string;
  readonly id?: Input<string, Context>;
  readonly instanceId?: Input<string, Context>;
  readonly params?: unknown;
  readonly event?: Input<{ readonly type: string; readonly payload?: unknown }, Context>;
  readonly storeAs?: string;
}

type Act = (input: InstanceWords, context: Context) => Promise<WorkflowInstance>;

const initialize: Act = async ({ workflow, ...input }, context) => {
  const binding = context.workflows[workflow];
  if (binding === undefined) throw new RangeError(`no workflow has the key "${workflow}"`);
  const id = await resolve(input.id, context);
  const params = await resolve(input.params, context);
  return binding.create({ ...(id === undefined ? {} : { id }), params });
};

const sendEvent: Act = async (input, context) => {
  const instance = await find(input, context);
  const event = await resolve(input.event, context);
  if (event !== undefined) await instance.sendEvent(event);
  return instance;
};

const control =
  (verb: "pause" | "resume" | "cancel" | "terminate" | "restart" | "retry"): Act =>
  async (input, context) => {
    const instance = await find(input, context);
    await instance[verb]();
    return instance;
  };

const STEPS = {
  initialize: instanceStep("initialize", initialize),
  initializeAndRunUntilIdle: instanceStep("initializeAndRunUntilIdle", initialize),
  event: instanceStep("event", sendEvent),
  eventAndRunUntilIdle: instanceStep("eventAndRunUntilIdle", sendEvent),
  pause: instanceStep("pause", control("pause")),
  resume: instanceStep("resume", control("resume")),
  resumeAndRunUntilIdle: instanceStep("resumeAndRunUntilIdle", control("resume")),
  cancel: instanceStep("cancel", control("cancel")),
  terminate: instanceStep("terminate", control("terminate")),
  restart: instanceStep("restart", control("restart")),
  retry: instanceStep("retry", control("retry")),
  runUntilIdle: () => step("runUntilIdle", (context) => context.runUntilIdle()),
  startTick: () => step("startTick", (context) => context.startTick()),
  advanceTime: timeStep("advanceTime"),
  advanceTimeAndRunUntilIdle: timeStep("advanceTimeAndRunUntilIdle"),
  restartRunner: () => step("restartRunner", (context) => context.restartRunner()),
  read: (input: { readonly read: (context: Context) => unknown; readonly storeAs?: string }) =>
    step(`read ${input.storeAs ?? ""}`.trimEnd(), input.read, input.storeAs),
  assert: (assertion: (context: Context) => unknown) => step("assert", assertion),
};

function step(label: string, run: (context: Context) => unknown, storeAs?: string): Step {
  return { label, storeAs: storeAs ?? null, run };
}

function instanceStep(verb: string, act: Act): (input: InstanceWords) => Step {
  return (input) => {
    const words = [verb, input.workflow, input.id ?? input.instanceId, eventType(input.event)];
    const label = words.filter((word) => typeof word === "string").join(" ");
    const run = async (context: Context): Promise<InstanceView> => {
      const instance = await act(input, context);
      if (verb.endsWith("RunUntilIdle")) await context.runUntilIdle();
      return { id: instance.id, details: await instance.status() };
    };
    return step(label, run, input.storeAs);
  };
}

function timeStep(verb: string): (input: TimeInput<Context>) => Step {
  return (input) => {
    const words = "by" in input ? [verb, input.by] : [verb, "to", input.to];
    const label = words.filter((word) => typeof word !== "function").join(" ");
    return step(label, async (context) => {
      await context.advanceTime(await durationOf(input, context));
      if (verb.endsWith("RunUntilIdle")) await context.runUntilIdle();
    });
  };
}

async function durationOf(input: TimeInput<Context>, context: Context): Promise<WorkflowDuration> {
  return "by" in input
    ? resolve(input.by, context)
    : Number(await resolve(input.to, context)) - context.now();
}

async function find(input: InstanceWords, context: Context): Promise<WorkflowInstance> {
  const binding = context.workflows[input.workflow];
  const id = await resolve(input.instanceId, context);
  if (binding === undefined) throw new RangeError(`no workflow has the key "${input.workflow}"`);
  if (id === undefined) throw new RangeError(`instanceId is undefined`);
  return binding.get(id);
}

async function resolve<T>(input: Input<T, Context>, context: Context): Promise<T> {
  return typeof input === "function"
    ? (input as (context: Context) => T | Promise<T>)(context)
    : input;
}

function eventType(event: InstanceWords["event"]): string | undefined {
  return typeof event === "object" ? event.type : undefined;
}
