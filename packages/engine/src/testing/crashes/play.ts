/** One play of a workflow: from its creation to the end of its scenario, with at most one crash. */
import type { WorkflowDefinition } from "../../authoring/define-workflow.ts";
import type { WorkflowsRegistry } from "../../authoring/registry.ts";
import type { Store } from "../../ports/store.ts";
import { createMemoryStore } from "../../stores/memory/index.ts";
import { createFakeTime, type FakeTime } from "../fake-time.ts";
import { createFaultStore } from "../fault-store.ts";
import {
  openHarness,
  findComplaint,
  type Harness,
  type HarnessClock,
  type LogLine,
} from "../harness.ts";
import { CrashingProcess } from "./process.ts";
import type { StreamOptions } from "../../authoring/progress.ts";
import type { AnyScenario, DrivenInstance } from "./scenario.ts";
import { withShiftedGlobals } from "./shifted-globals.ts";
import { toText } from "./trace.ts";
import { traceWorkflow } from "./traced-workflow.ts";

/** The workflow and its scenario. */
export interface Subject {
  readonly workflow: WorkflowDefinition;
  readonly scenario: AnyScenario;
  readonly openStore: OpenPlayStore;
}

/** Opens the empty store of a play, and the clock that moves the store's time with the play's. */
export type OpenPlayStore = (time: FakeTime) => Promise<{
  readonly store: Store;
  readonly clock: HarnessClock;
}>;

/** The result of a play. */
export interface Played extends Pick<
  CrashingProcess,
  "traces" | "bodies" | "pointCount" | "crash"
> {
  readonly log: readonly LogLine[];
  /** The log line that the harness failed on; null: none. */
  readonly complaint: LogLine | null;
  /** The instance's final status, as comparable text. */
  readonly end: string;
  /** A step that may run only once was lost with its process, which ends it. */
  readonly hasLostStep: boolean;
  /** What the scenario's `drive` threw; null: nothing. */
  readonly failure: { readonly error: unknown } | null;
}

const INSTANCE_ID = "instance";

/** A store in memory. */
export const openMemory: OpenPlayStore = async (time) => ({
  store: createMemoryStore({ now: time.now }),
  clock: time,
});

/** How a play differs from the first one. */
export interface PlayOptions {
  /** 0-based point; null: no crash. @default null */
  readonly crashAt?: number | null;
  /** The number of the first process, which sets clock and chance. @default 0 */
  readonly firstLife?: number;
}

/** Plays the workflow once, on its own store and clock. */
export async function play(
  { workflow, scenario, openStore }: Subject,
  { crashAt = null, firstLife = 0 }: PlayOptions = {},
): Promise<Played> {
  const time = createFakeTime();
  const process = new CrashingProcess({
    instanceId: INSTANCE_ID,
    crashAt,
    firstLife,
    now: time.now,
  });
  const opened = await openStore(time);
  const store = createFaultStore(opened.store, (call) => process.planCall(call));
  const { key, workflows } = register(scenario.workflows, workflow, process);
  const options = {
    ...scenario.engine,
    workflows,
    store: { store, clock: opened.clock },
    // The next process has the same name and waits for no lease, so that no time passes except as the scenario says.
    runnerId: "crashes",
  };
  const harness = openHarness(options, { goesOn: true });
  process.restart = harness.restart;
  const run = async (): Promise<Played["failure"]> => {
    await scenario.setup();
    try {
      await harness.workflows[key]?.create({ id: INSTANCE_ID, params: scenario.params });
      await scenario.drive(harness, toInstance(harness, key));
      return null;
    } catch (error) {
      return { error };
    }
  };
  const failure = await (scenario.shiftGlobals ? withShiftedGlobals(process, run) : run());
  const { traces, bodies, pointCount, crash } = process;
  const seen = await look(harness, workflow.name);
  const complaint = findComplaint(harness.log);
  const log = [...harness.log];
  process.end();
  return { traces, bodies, pointCount, crash, failure, complaint, log, ...seen };
}

/** The workflow keeps its place in the registry, under its own key if it has one. */
function register(
  others: WorkflowsRegistry,
  workflow: WorkflowDefinition,
  process: CrashingProcess,
): { readonly key: string; readonly workflows: WorkflowsRegistry } {
  const key =
    Object.keys(others).find((name) => others[name]?.name === workflow.name) ?? "WORKFLOW";
  return { key, workflows: { ...others, [key]: traceWorkflow(workflow, process) } };
}

/** The instance, through the engine that is alive. */
function toInstance(harness: Harness<WorkflowsRegistry>, key: string): DrivenInstance {
  const find = async (): Promise<DrivenInstance> => {
    const workflow = harness.workflows[key] as { get(id: string): Promise<DrivenInstance> };
    return workflow.get(INSTANCE_ID);
  };
  return {
    id: INSTANCE_ID,
    status: async () => (await find()).status(),
    describe: async () => (await find()).describe(),
    explain: async () => (await find()).explain(),
    pause: async (options) => (await find()).pause(options),
    resume: async (options) => (await find()).resume(options),
    cancel: async (options) => (await find()).cancel(options),
    terminate: async (options) => (await find()).terminate(options),
    restart: async (options) => (await find()).restart(options),
    retry: async (options) => (await find()).retry(options),
    rewind: async (stepKey, options) => (await find()).rewind(stepKey, options),
    update: async (options) => (await find()).update(options),
    delete: async () => (await find()).delete(),
    sendEvent: async (event) => (await find()).sendEvent(event),
    ask: async (event, options) => (await find()).ask(event, options),
    async *stream<T>(options?: StreamOptions) {
      yield* (await find()).stream<T>(options);
    },
  };
}

async function look(
  harness: Harness<WorkflowsRegistry>,
  workflowName: string,
): Promise<Pick<Played, "end" | "hasLostStep">> {
  try {
    const { status, output, error } = await harness.status(workflowName, INSTANCE_ID);
    // If there is a code, the message is left out, because it may contain counts that differ.
    const text = error === undefined ? "" : (error.code ?? `${error.name}: ${error.message}`);
    const failure = text === "" ? "" : ` with ${text}`;
    const end = `${status}${failure}${output === undefined ? "" : ` with ${toText(output)}`}`;
    return { end, hasLostStep: await hasLostStep(harness, workflowName) };
  } catch (error) {
    // It was not created; the thrown error says why.
    return { end: String(error), hasLostStep: false };
  }
}

async function hasLostStep(
  { engine }: Harness<WorkflowsRegistry>,
  workflowName: string,
): Promise<boolean> {
  for (let cursor: string | undefined; ;) {
    const from = cursor === undefined ? {} : { cursor };
    const page = await engine.listHistory(workflowName, INSTANCE_ID, from);
    if (
      page.steps.some(
        ({ status, lostAttempts, maxAttempts }) =>
          status === "errored" && lostAttempts > 0 && maxAttempts === 1,
      )
    )
      return true;
    if (!page.hasNextPage || page.cursor === undefined) return false;
    ({ cursor } = page);
  }
}
