/** A fragment for tests of hooks: its workflows, and the calls of its dispatcher. */
import { defineWorkflow } from "./authoring.ts";
import type { OnWorkflowEnqueued, WorkflowEnqueued } from "./config.ts";
import { createDurableHooksProcessor } from "./processor.ts";
import { openScene, type Scene } from "./testing-scene.ts";
import type { ServerKind } from "./testing-step-tx.ts";

export const workflows = {
  HELLO: defineWorkflow({ name: "hello" }, () => "hello"),
  WAIT: defineWorkflow({ name: "wait" }, async (_event, step) => {
    const { payload } = await step.waitForEvent("go", { type: "go" });
    return payload;
  }),
  LATE: defineWorkflow({ name: "late" }, async (_event, step) => {
    await step.do("try", { retries: { limit: 1, delay: "1 hour" } }, ({ attempt }) => {
      if (attempt === 1) throw new TypeError("once");
    });
    await step.sleep("nap", "1 hour");
    await step.waitForEvent("go", { type: "go", timeout: "1 hour" }).catch(() => undefined);
  }),
  PARENT: defineWorkflow({ name: "parent" }, (_event, step, { workflows: children }) =>
    step.do("start", async () => void (await children["HELLO"]?.create({ id: "child" }))),
  ),
  ORDER: defineWorkflow({ name: "order" }, (_event, step) =>
    step.invoke("wait", { id: "invoked" }),
  ),
} as const;

export const HOOK_PAYLOAD = `cast("payload" as text)`;
/** Hooks of runs that become due by time: runs of other tests leave them for later. */
export const IS_TIMED_HOOK = `(${HOOK_PAYLOAD} like '%"retry"%' or ${HOOK_PAYLOAD} like '%"wake"%')`;
export const TICK_SECRET = "a-secret-of-at-least-24-characters";

export interface HookScene {
  readonly scene: Scene<typeof workflows>;
  readonly told: WorkflowEnqueued[];
  dispatch: OnWorkflowEnqueued;
  /** Runs only the hooks, without ticking the engine. */
  readonly processHooks: () => Promise<unknown>;
  /** Posts to a route of the fragment. */
  readonly post: (path: string, body?: unknown) => Promise<Response>;
  readonly pendingHooks: () => Promise<number>;
  /** Finishes what earlier tests have left, without calling the dispatcher. */
  readonly forget: () => Promise<void>;
}

export async function openHookScene(server: ServerKind): Promise<HookScene> {
  const scene = await openScene(server, {
    workflows,
    http: { tick: { bearerSecret: TICK_SECRET } },
    onWorkflowEnqueued: async (enqueued, context) => {
      hooks.told.push(enqueued);
      await hooks.dispatch(enqueued, context);
    },
  });
  const hooks: HookScene = {
    scene,
    told: [],
    dispatch: () => undefined,
    processHooks() {
      const { inContext, $internal } = scene.fragment;
      const withoutEngine = { $internal, inContext: inContext.bind(scene.fragment) };
      return createDurableHooksProcessor([withoutEngine]).process();
    },
    post: (path, body = {}) =>
      scene.fragment.handler(
        new Request(`http://app/api/workflows/workflows/${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      ),
    async pendingHooks() {
      const pending = `"status" = 'pending' and not ${IS_TIMED_HOOK}`;
      return (await scene.query(`select 1 from "fragno_hooks" where ${pending}`)).length;
    },
    async forget() {
      await hooks.processHooks();
      hooks.told.length = 0;
      hooks.dispatch = () => undefined;
    },
  };
  return hooks;
}
