/** `step.receive` and replies in a fragment, with and without hooks for what is sent. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineWorkflow } from "./authoring.ts";
import type { WorkflowEnqueued } from "./config.ts";
import { callService, openScene, type Scene } from "./testing-scene.ts";
import { runUntilIdle, SERVERS } from "./testing-step-tx.ts";

const workflows = {
  SUM: defineWorkflow({ name: "sum" }, async (_event, step) => {
    const seen: number[] = [];
    while (seen.length < 4) {
      const batch = await step.receive<number>("in", { types: ["add", "add_more"], count: 3 });
      for (const event of batch) event.reply({ was: event.payload });
      seen.push(...batch.map(({ payload }) => payload));
    }
    return seen;
  }),
} as const;

const KINDS = SERVERS.flatMap((server) =>
  [false, true].map((withHooks) => ({
    server,
    withHooks,
    name: `${server.name} ${withHooks ? "with" : "without"} hooks`,
  })),
);

describe.each(KINDS)("replies on $name", ({ server, withHooks }) => {
  let scene: Scene<typeof workflows>;
  const enqueued: WorkflowEnqueued[] = [];
  beforeAll(async () => {
    scene = await openScene(server, {
      workflows,
      ...(withHooks
        ? { onWorkflowEnqueued: (told: WorkflowEnqueued) => void enqueued.push(told) }
        : {}),
    });
  });
  afterAll(() => scene.close());

  const idle = (): Promise<unknown> => runUntilIdle(scene.fragment.engine);
  /** One service call in its own transaction. */
  const call = (make: () => unknown): Promise<unknown> => callService(scene.fragment, make);
  const send = (id: string, type: string, payload: number, eventId: string): Promise<unknown> =>
    call(() => scene.fragment.services.sendEvent("sum", id, { type, payload, eventId }));
  const getReply = (id: string, eventId: string): Promise<unknown> =>
    call(() => scene.fragment.services.getReply("sum", id, eventId)).catch(
      (error: { code: string }) => error.code,
    );
  const statusOf = async (id: string): Promise<unknown> =>
    (await scene.fragment.engine.getInstance("sum", id)).details;

  test("S6-014 an event of one of several types wakes the run, and is answered", async () => {
    await scene.fragment.workflows.SUM.create({ id: "one" });
    await idle();
    await send("one", "other", 9, "q9");
    await send("one", "add", 1, "q1");
    expect(await getReply("one", "q1")).toEqual({ answered: false });
    await idle();
    expect(await getReply("one", "q1")).toEqual({ answered: true, reply: { was: 1 } });
    await send("one", "add_more", 2, "q2");
    await send("one", "add", 3, "q3");
    await send("one", "add_more", 4, "q4");
    await idle();
    expect(await statusOf("one")).toMatchObject({ status: "complete", output: [1, 2, 3, 4] });
    expect(await getReply("one", "q4")).toEqual({ answered: true, reply: { was: 4 } });
    expect(await getReply("one", "q9")).toBe("EVENT_NOT_ANSWERED");
    expect(await getReply("one", "none")).toBe("EVENT_NOT_FOUND");
    expect(await getReply("nobody", "q1")).toBe("INSTANCE_NOT_FOUND");
    expect(await getReply("one", "white space")).toBe("INVALID_IDEMPOTENCY_KEY");
  });

  test("S6-014 a part of a type wakes nobody", async () => {
    await scene.fragment.workflows.SUM.create({ id: "part" });
    await idle();
    enqueued.length = 0;
    await send("part", "dd", 1, "q1");
    expect(await statusOf("part")).toMatchObject({ status: "waiting" });
    expect(enqueued).toEqual([]);
  });

  test("S6-014 an instance is asked through its binding, and over HTTP", async () => {
    const instance = await scene.fragment.workflows.SUM.create({ id: "asked" });
    await idle();
    const answer = instance.ask({ type: "add", payload: 5, eventId: "q" });
    const state = (): Promise<unknown> => getReply("asked", "q");
    await expect.poll(state).not.toBe("EVENT_NOT_FOUND");
    await idle();
    expect(await answer).toEqual({ was: 5 });
    const response = await scene.fragment.handler(
      new Request("http://app/api/workflows/workflows/sum/instances/asked/events/q/reply"),
    );
    expect(await response.json()).toEqual({ answered: true, reply: { was: 5 } });
  });
});
