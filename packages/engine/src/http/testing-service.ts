/** TEST ONLY: the real engine on the memory store, with ways to fail calls, count writes and hold bodies. */
import { z } from "zod";
import { defineWorkflow, type WorkflowDefinition } from "../authoring/define-workflow.ts";
import { signCallback } from "../run/callback-token.ts";
import { createEngine } from "../verbs/engine.ts";
import { defineTopic } from "../authoring/topic.ts";
import type { TopicRef } from "../core/topic.ts";
import type { ListBulksInput } from "../ports/bulk.ts";
import type { CountInstancesInput, FindInstancesInput } from "../ports/finding-service.ts";
import type {
  ActivityInput,
  ListCallbacksInput,
  ListLeasesInput,
} from "../ports/overview-service.ts";
import type { EngineService } from "../ports/service.ts";
import type { TickInput, TickOutput } from "../ports/tick.ts";
import type { Store } from "../ports/store.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import type { EmitInput } from "../ports/topic-service.ts";

/** The only workflow that the service knows. */
export const TESTING_WORKFLOW = "ORDER";

/** Params, and payloads of the event `t`, that equal this value do not fit the schema. */
export const TESTING_MISFIT = "misfit";

/** The run of an instance with these params fails after its first step. */
export const TESTING_FAILURE = "fail";

/** The key that signs callbacks of the service. */
const TESTING_SIGNING_KEY = "testing-key-of-35-characters-or-so!";

/** The token of a callback of the first run of instance `a`. */
export const signTestingToken = (): Promise<string> =>
  signCallback(
    { signingKeys: [TESTING_SIGNING_KEY], url: "", namespace: "" },
    { workflowName: TESTING_WORKFLOW, instanceId: "a", runNumber: 1, stepKey: "called" },
  );

const FITS = z.unknown().refine((value) => value !== TESTING_MISFIT, "a misfit");

/** Reserves, waits for an approval, and answers with its params. */
function defineOrder(body: () => Promise<void>): WorkflowDefinition {
  const events = { t: FITS, approve: z.unknown(), one: z.unknown(), two: z.unknown() };
  return defineWorkflow(
    { name: TESTING_WORKFLOW, schema: FITS, events },
    async ({ payload }, step) => {
      await step.do("reserve", async () => {
        await body();
        return { reserved: true };
      });
      if (payload === TESTING_FAILURE) throw new RangeError("asked to fail");
      await step.waitForEvent("approval", { type: "approve" });
      return payload;
    },
  ) as WorkflowDefinition;
}

/** How a test controls the engine. */
interface Controls {
  /** Inputs of the ticks so far. */
  readonly ticks: readonly TickInput[];
  /** How many instances the store has created; shows that nothing was written. */
  countCreated(): number;
  /** Every call fails with `error` from now on; null: no longer. */
  failWith(error: unknown): void;
  /** Bodies of `reserve` stay open until the function that this returns is called. */
  holdBodies(): () => void;
}

export type TestingService = EngineService & Controls;

export function createTestingService(): TestingService {
  const { store, countCreated } = createCountingStore();
  const ticks: TickInput[] = [];
  let failure: { readonly error: unknown } | null = null;
  let held: Promise<void> = Promise.resolve();
  const logger = { log: (): void => {} };
  const engine = createEngine({
    workflows: { order: defineOrder(() => held) },
    store,
    topics: [defineTopic({ name: "placed", schema: FITS })],
    logger,
    bulk: true,
    callbacks: { signingKeys: [TESTING_SIGNING_KEY], url: "http://host.test/api/workflows" },
  });
  const enter = (): void => {
    if (failure !== null) throw failure.error;
  };
  return {
    ticks,
    countCreated,
    failWith: (error) => {
      failure = error === null ? null : { error };
    },
    holdBodies: () => {
      const releases: (() => void)[] = [];
      held = new Promise((resolve) => {
        releases.push(resolve);
      });
      return () => releases.forEach((release) => release());
    },
    ...guardCalls(engine, enter),
    tick: async (input = {}): Promise<TickOutput> => {
      enter();
      ticks.push(input);
      return engine.tick(input);
    },
  };
}

/** The engine's own verbs; each fails first if a test wants it to. */
function guardCalls(engine: EngineService, enter: () => void): Omit<EngineService, "tick"> {
  const guard = <TParameters extends readonly unknown[], TResult>(
    call: (...parameters: TParameters) => Promise<TResult>,
  ): ((...parameters: TParameters) => Promise<TResult>) => {
    return async (...parameters) => {
      enter();
      return call(...parameters);
    };
  };
  return {
    listWorkflows: () => {
      enter();
      return engine.listWorkflows();
    },
    createInstance: guard(engine.createInstance),
    createBatch: guard(engine.createBatch),
    getInstance: guard(engine.getInstance),
    listInstances: guard(engine.listInstances),
    findInstances: guard((input?: FindInstancesInput) => engine.findInstances(input)),
    countInstances: guard((input?: CountInstancesInput) => engine.countInstances(input)),
    measureActivity: guard((input?: ActivityInput) => engine.measureActivity(input)),
    listLeases: guard((input?: ListLeasesInput) => engine.listLeases(input)),
    listCallbacks: guard((input?: ListCallbacksInput) => engine.listCallbacks(input)),
    describeInstance: guard(engine.describeInstance),
    previewBulk: guard(engine.previewBulk),
    startBulk: guard(engine.startBulk),
    getBulk: guard(engine.getBulk),
    listBulks: guard((input?: ListBulksInput) => engine.listBulks(input)),
    cancelBulk: guard(engine.cancelBulk),
    explainInstance: guard(engine.explainInstance),
    control: guard(engine.control),
    restartOrCreate: guard(engine.restartOrCreate),
    rewind: guard(engine.rewind),
    fork: guard(engine.fork),
    update: guard(engine.update),
    deleteInstance: guard(engine.deleteInstance),
    sendEvent: guard(engine.sendEvent),
    getReply: guard(engine.getReply),
    readProgress: guard(engine.readProgress),
    emit: guard((topic: TopicRef, payload?: unknown, options?: EmitInput) =>
      engine.emit(topic, payload, options),
    ),
    listWaiters: guard(engine.listWaiters),
    completeCallback: guard(engine.completeCallback),
    verifyCallback: engine.verifyCallback,
    listHistory: guard(engine.listHistory),
  };
}

function createCountingStore(): { readonly store: Store; readonly countCreated: () => number } {
  const store = createMemoryStore();
  const created = new Set<string>();
  const create: Store["create"] = async (instances) => {
    const results = await store.create(instances);
    for (const result of results)
      if (result.kind === "created") created.add(result.instance.instanceId);
    return results;
  };
  return { store: { ...store, create }, countCreated: () => created.size };
}
