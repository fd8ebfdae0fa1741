/** An engine in which every text that someone else can choose tries to be more than text. */
import { defineWorkflow, type Engine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { createHarness } from "@escapement/engine/testing";
import { HOSTILE } from "./testing-scene.ts";

/** A workflow's name, which may be any printable ASCII. */
export const HOSTILE_NAME = `"><img src=x onerror=document.title='taken'>`;
const LINK = "javascript:document.title='taken'";

class HostileError extends Error {
  override readonly name = HOSTILE;
  readonly code: string = HOSTILE;
}

const fail = (): never => {
  const error = new HostileError(HOSTILE, { cause: new TypeError(LINK) });
  error.stack = `${HOSTILE}\n at ${LINK}`;
  throw error;
};

const ATTACK = defineWorkflow(
  { name: HOSTILE_NAME, retries: { limit: 0, delay: 1, backoff: "constant" } },
  async ({ payload }, step) => {
    await step.do(HOSTILE, () => ({ [HOSTILE]: HOSTILE, href: LINK, __proto__: null }));
    await step.join(HOSTILE_NAME, {
      [HOSTILE.slice(0, 40)]: (own) => own.do(LINK, () => LINK),
    });
    if (payload === CALLED) await (await step.callback(HOSTILE)).payload();
    await step.waitForEvent(HOSTILE_NAME, { type: "go" });
    await step.do("end", fail);
  },
);

/** The params of an instance that waits for a callback. */
const CALLED = "called";

const CALLBACKS = {
  signingKeys: ["a-key-of-the-hostile-scene-of-32-characters"],
  url: "https://shop.example/api/workflows",
};

/** One instance that waits, one that failed, one that waits for a callback, and one that a process holds; all contain the same texts. */
export async function openHostileScene(): Promise<Engine> {
  const store = createMemoryStore();
  const clock = { now: Date.now, advance: () => undefined };
  const options = { workflows: { ATTACK }, callbacks: CALLBACKS, store: { store, clock } };
  const harness = createHarness(options);
  const tags = [HOSTILE.slice(0, 60), HOSTILE_NAME];
  for (const id of ["waits", "failed"])
    await harness.workflows.ATTACK.create({ id, tags, memo: HOSTILE, params: HOSTILE });
  await harness.runUntilIdle();
  await harness.sendEvent(HOSTILE_NAME, "failed", { type: "go", payload: { by: HOSTILE } });
  await harness.workflows.ATTACK.create({ id: "called", params: CALLED });
  await harness.runUntilIdle();
  await harness.workflows.ATTACK.create({ id: "held" });
  const claim = { limit: 1, leaseMs: 600_000, workflowNames: [HOSTILE_NAME] };
  await store.claim({ ...claim, token: `1@${HOSTILE}` });
  await harness.workflows.ATTACK.create({ id: "due" });
  return harness.engine;
}

/** A schema for a form. */
export const HOSTILE_FORM = {
  name: HOSTILE_NAME,
  schema: {
    "~standard": {
      jsonSchema: {
        input: () => ({
          type: "object",
          properties: {
            [HOSTILE]: { type: "string", description: HOSTILE },
            choice: { enum: [HOSTILE, LINK] },
          },
        }),
      },
    },
  },
  events: { [HOSTILE]: {} },
};
