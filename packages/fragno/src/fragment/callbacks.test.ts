/** `step.callback` in a fragment, with and without hooks for calls of its URL. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineWorkflow } from "./authoring.ts";
import type { WorkflowEnqueued } from "./config.ts";
import { signToken } from "./testing-callbacks.ts";
import { openScene, type Scene } from "./testing-scene.ts";
import { runUntilIdle, SERVERS } from "./testing-step-tx.ts";

const KEY = "a-key-of-at-least-32-characters-or-more";

const workflows = {
  ORDER: defineWorkflow({ name: "my order" }, async (_event, step) => {
    const { payload } = await step.callback("a", { timeout: "1 hour" });
    return payload().catch((error: { code: string }) => error.code);
  }),
} as const;

const KINDS = SERVERS.flatMap((server) =>
  [false, true].map((withHooks) => ({
    server,
    withHooks,
    name: `${server.name} ${withHooks ? "with" : "without"} hooks`,
  })),
);

describe.each(KINDS)("callbacks on $name", ({ server, withHooks }) => {
  let scene: Scene<typeof workflows>;
  const enqueued: WorkflowEnqueued[] = [];
  beforeAll(async () => {
    scene = await openScene(server, {
      workflows,
      callbacks: { signingKeys: [KEY], url: "http://app/api/workflows" },
      ...(withHooks
        ? { onWorkflowEnqueued: (told: WorkflowEnqueued) => void enqueued.push(told) }
        : {}),
    });
  });
  afterAll(() => scene.close());

  const create = (id: string): Promise<unknown> => scene.fragment.workflows.ORDER.create({ id });
  const idle = (): Promise<unknown> => runUntilIdle(scene.fragment.engine);
  const statusOf = async (id: string): Promise<unknown> =>
    (await scene.fragment.engine.getInstance("my order", id)).details;
  const post = async (id: string, body: unknown): Promise<unknown> => {
    const url = `http://app/api/workflows/callbacks/${await signToken(KEY, id)}`;
    const answer = await scene.fragment.handler(
      new Request(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
    return ((await answer.json()) as { code?: string }).code ?? answer.status;
  };

  test("S6-016 the payload ends the wait, once, and wakes the run", async () => {
    await create("one");
    await idle();
    const uses = [1, 2, 3, 4].map((by) => post("one", [by]));
    const codes = (await Promise.all(uses)) as (number | string)[];
    expect(codes.filter((code) => code === 200)).toHaveLength(1);
    expect(codes.filter((code) => code === "CALLBACK_USED")).toHaveLength(3);
    await idle();
    const output = [codes.indexOf(200) + 1];
    expect(await statusOf("one")).toMatchObject({ status: "complete", output });
    expect(await post("one", 5)).toBe("CALLBACK_USED");
  });

  test("S6-016 one that comes before the run waits is kept", async () => {
    await create("early");
    expect(await post("early", "kept")).toBe(200);
    await idle();
    expect(await statusOf("early")).toMatchObject({ status: "complete", output: "kept" });
  });

  test("S6-016 it is late after the deadline, and for another run", async () => {
    await create("late");
    await idle();
    await scene.clock.advance(3_600_000);
    expect(await post("late", 1)).toBe("CALLBACK_LATE");
    await idle();
    expect(await statusOf("late")).toMatchObject({ output: "EVENT_TIMEOUT" });
    await scene.fragment.engine.control("my order", "late", "restart");
    await idle();
    expect(await post("late", 1)).toBe("CALLBACK_LATE");
  });

  test("S6-016 is a service that others compose into their transactions", async () => {
    await create("composed");
    await idle();
    const callback = {
      workflowName: "my order",
      instanceId: "composed",
      runNumber: 1,
      stepKey: "a",
    };
    const complete = (): Promise<unknown> =>
      scene.fragment.inContext(async function () {
        return this.handlerTx()
          .withServiceCalls(
            () => [scene.fragment.services.completeCallback(callback, "both")] as const,
          )
          .execute();
      });
    await complete();
    await expect(complete()).rejects.toThrow(/used/);
    await idle();
    expect(await statusOf("composed")).toMatchObject({ output: "both" });
  });
});
