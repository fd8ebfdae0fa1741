/** Messages to topics and changes of a run's details, by services in any transaction, on real databases. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineTopic } from "@escapement/engine";
import { z } from "zod";
import type { WorkflowEnqueued } from "./config.ts";
import { defineWorkflow, type WorkflowStep } from "../index.ts";
import { createDurableHooksProcessor } from "./processor.ts";
import { callService, openScene, type Scene, shopSchema } from "./testing-scene.ts";
import { SERVERS } from "./testing-step-tx.ts";

const placed = defineTopic({ name: "placed", schema: z.object({ n: z.number().default(7) }) });
const crowded = defineTopic({ name: "crowded" });
const late = defineTopic({ name: "late", schema: z.string().refine(async () => true) });
const topics = [placed, crowded, late];

const LISTENS = defineWorkflow({ name: "listens" }, async (event, step: WorkflowStep) => {
  const topic = event.payload as string;
  const { payload, id } = await step.waitForTopic("message", topic, { timeout: "30 days" });
  return { payload, id: id ?? null };
});
const workflows = { LISTENS } as const;

for (const server of SERVERS) {
  describe(`topics by services on ${server.name}`, () => {
    let scene: Scene<typeof workflows>;
    const told: WorkflowEnqueued[] = [];
    beforeAll(async () => {
      scene = await openScene(server, {
        workflows,
        topics,
        limits: { maxTopicMessages: 2 },
        onWorkflowEnqueued: (enqueued) => void told.push(enqueued),
      });
      await scene.shop.inContext(async function () {
        await this.handlerTx()
          .mutate(({ forSchema }) => forSchema(shopSchema).create("order", { number: "taken" }))
          .execute();
      });
    });
    afterAll(() => scene.close());

    const call = (make: () => unknown): Promise<unknown> => callService(scene.fragment, make);
    const emitWith = (number: string, payload: { n: number }, id?: string): Promise<unknown> =>
      scene.shop.inContext(async function () {
        return this.handlerTx()
          .withServiceCalls(
            () => [scene.fragment.services.emit(placed, payload, id ? { id } : {})] as const,
          )
          .mutate(({ forSchema }) => forSchema(shopSchema).create("order", { number }))
          .execute();
      });
    const tick = (): Promise<unknown> => scene.fragment.engine.tick();
    const listen = async (id: string, topic = "placed"): Promise<void> => {
      await scene.fragment.workflows.LISTENS.create({ id, params: topic });
      await tick();
    };
    const outcomeOf = async (id: string): Promise<unknown> => {
      const { details } = await scene.fragment.engine.getInstance("listens", id);
      return details.output ?? details.status;
    };

    test("S6-015 a message and the caller's rows commit together or not at all, in two trips, and each waiter gets it once", async () => {
      await listen("one");
      await listen("two");
      await expect(emitWith("taken", { n: 1 })).rejects.toMatchObject({ code: "UNIQUE_VIOLATION" });
      await tick();
      expect(await outcomeOf("one")).toBe("waiting");
      const [trips] = await scene.countTrips(() => emitWith("first", { n: 2 }, "m-1"));
      expect(trips).toBe(2);
      await tick();
      await tick();
      const got = { payload: { n: 2 }, id: "m-1" };
      expect([await outcomeOf("one"), await outcomeOf("two")]).toEqual([got, got]);
    });

    test("S6-015 the service answers and refuses as the engine does", async () => {
      const { services, engine } = scene.fragment;
      const both = async (make: (by: typeof services.emit | typeof engine.emit) => unknown) => {
        const settle = (work: Promise<unknown>): Promise<unknown> =>
          work.then(
            (value) => value,
            (error: { code: string }) => error.code,
          );
        const outcomes = [await settle(call(() => make(services.emit)))];
        outcomes.push(await settle((async () => make(engine.emit))()));
        return outcomes;
      };
      expect(await both((emit) => emit(placed, {}, { id: "m-2" }))).toEqual([
        { duplicate: false, delivered: 0 },
        { duplicate: true, delivered: 0 },
      ]);
      const refusals = await Promise.all([
        both((emit) => emit("nothing")),
        both((emit) => emit(placed, { n: "7" } as never)),
        both((emit) => emit(placed, { n: 7 }, { id: "" })),
        both((emit) => emit(placed, { n: 7 }, { name: "" } as never)),
        both((emit) => emit(crowded, "x".repeat(2_000_000))),
        both((emit) => emit(crowded, () => 0)),
        both((emit) => emit(placed, { n: 8 }, { id: "m-2" })),
      ]);
      for (const [byService, byEngine] of refusals) expect(byService).toBe(byEngine);
      expect(refusals.map(([code]) => code)).toEqual([
        "TOPIC_NOT_FOUND",
        "INVALID_EVENT_PAYLOAD",
        "INVALID_IDEMPOTENCY_KEY",
        "UNKNOWN_OPTION",
        "PAYLOAD_TOO_LARGE",
        "NOT_SERIALIZABLE",
        "EVENT_ID_CONFLICT",
      ]);
      await expect(call(() => services.emit(late, "x"))).rejects.toMatchObject({
        code: "WORKFLOW_INVALID",
      });
    });

    test("S6-015 a message of one id that another has emitted between read and write is a duplicate", async () => {
      const { services, engine } = scene.fragment;
      scene.beforeNext(/insert into "workflow_message_workflows"/u, async () => {
        expect(await engine.emit(crowded, 1, { id: "raced" })).toMatchObject({ duplicate: false });
      });
      expect(await call(() => services.emit(crowded, 1, { id: "raced" }))).toEqual({
        duplicate: true,
        delivered: 0,
      });
      scene.beforeNext(/insert into "workflow_message_workflows"/u, async () => {
        await engine.emit(crowded, 1, { id: "raced-with-another" });
      });
      await expect(
        call(() => services.emit(crowded, 2, { id: "raced-with-another" })),
      ).rejects.toMatchObject({ code: "EVENT_ID_CONFLICT" });
    });

    test("S6-015 of two messages of one id in one unit of work the first is stored, and the other is a duplicate", async () => {
      const { fragment } = scene;
      const emitBoth = (ids: readonly string[], step = 0): Promise<unknown> =>
        fragment.inContext(async function () {
          return this.handlerTx()
            .withServiceCalls(() =>
              ids.map((id, n) => fragment.services.emit(crowded, n * step, { id })),
            )
            .execute();
        });
      const answers = [false, true].map((duplicate) => ({ duplicate, delivered: 0 }));
      await expect(emitBoth(["twin", "twin"], 1)).rejects.toMatchObject({
        code: "EVENT_ID_CONFLICT",
      });
      expect(await emitBoth(["twin", "twin"])).toEqual(answers);
      expect(
        await scene.query(
          `select "message" from "workflow_message_workflows" where "messageId" = 'twin'`,
        ),
      ).toEqual([{ message: '{"id":"twin","payload":0}' }]);
      expect(await emitBoth(["other", "another"])).toEqual([answers[0], answers[0]]);
      await expect(emitBoth(["a", "b", "c", "d", "e"])).rejects.toMatchObject({
        code: "TOPIC_LIMIT",
      });
    });

    test("S6-015 at the limit the service refuses, and a race to it too", async () => {
      await listen("behind", "crowded");
      const { services } = scene.fragment;
      const emit = (n: number): Promise<unknown> => call(() => services.emit(crowded, n));
      const codes = await Promise.all(
        Array.from({ length: 8 }, (_, n) => emit(n).catch((error: { code: string }) => error.code)),
      );
      expect(codes.filter((code) => code === "TOPIC_LIMIT").length).toBeGreaterThanOrEqual(4);
      await tick();
      await tick();
      expect(await outcomeOf("behind")).toHaveProperty("payload");
      expect(await emit(9)).toMatchObject({ duplicate: false });
    });

    test("S6-015 a dispatcher is told of a message, so that somebody hands it on", async () => {
      await createDurableHooksProcessor([scene.fragment]).process();
      told.length = 0;
      await listen("told");
      await scene.fragment.handler(
        new Request("http://app/api/workflows/topics/placed", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ payload: { n: 5 } }),
        }),
      );
      await createDurableHooksProcessor([scene.fragment]).process();
      expect(told).toContainEqual({ workflowName: "", instanceId: "placed", reason: "event" });
      await tick();
      expect(await outcomeOf("told")).toEqual({ payload: { n: 5 }, id: null });
    });

    test("S6-023 an update by the service is that of the engine, stands or falls with the transaction, and is refused alike", async () => {
      const { services, engine } = scene.fragment;
      await listen("u");
      const at = (await scene.clock.now()) + 3_600_000;
      const updateWith = (number: string): Promise<unknown> =>
        scene.shop.inContext(async function () {
          return this.handlerTx()
            .withServiceCalls(
              () =>
                [
                  services.update("listens", "u", { tags: ["a"], memo: { x: 1 }, deadlineAt: at }),
                ] as const,
            )
            .mutate(({ forSchema }) => forSchema(shopSchema).create("order", { number }))
            .execute();
        });
      const before = await engine.getInstance("listens", "u");
      await expect(updateWith("taken")).rejects.toMatchObject({ code: "UNIQUE_VIOLATION" });
      expect(await engine.getInstance("listens", "u")).toEqual(before);
      const [trips] = await scene.countTrips(() => updateWith("updated"));
      expect(trips).toBe(2);
      expect((await engine.getInstance("listens", "u")).details).toMatchObject({
        tags: ["a"],
        memo: { x: 1 },
        deadlineAt: at,
      });
      const refused = (options: object, id = "u"): Promise<unknown> =>
        call(() => services.update("listens", id, options)).then(
          () => "done",
          (error: { code: string }) => error.code,
        );
      expect([
        await refused({ tags: ["b"], ifRunNumber: 2 }),
        await refused({ tags: ["b"], ifStatus: ["paused"] }),
        await refused({ tags: ["b"] }, "nobody"),
        await refused({}),
        await refused({ tags: ["b"], colour: "red" }),
        await refused({ tags: ["c"], idempotencyKey: "k" }),
        await refused({ tags: ["c"], idempotencyKey: "k" }),
        await refused({ tags: ["d"], idempotencyKey: "k" }),
      ]).toEqual([
        "RUN_NUMBER_MISMATCH",
        "STATUS_MISMATCH",
        "INSTANCE_NOT_FOUND",
        "INVALID_REQUEST",
        "UNKNOWN_OPTION",
        "done",
        "done",
        "IDEMPOTENCY_KEY_CONFLICT",
      ]);
      expect((await engine.getInstance("listens", "u")).details.tags).toEqual(["c"]);
      scene.beforeNext(/update "workflow_instance_workflows"/u, () =>
        scene.query(
          `update "workflow_instance_workflows" set "runNumber" = 2, "_version" = "_version" + 1 where "instanceId" = 'u'`,
        ),
      );
      expect(await refused({ tags: ["e"], ifRunNumber: 1 })).toBe("RUN_NUMBER_MISMATCH");
      await scene.query(
        `update "workflow_instance_workflows" set "runNumber" = 1 where "instanceId" = 'u'`,
      );
      await scene.clock.advance(3_600_000);
      await tick();
      expect((await engine.getInstance("listens", "u")).details).toMatchObject({
        status: "errored",
        error: { code: "DEADLINE_EXCEEDED" },
      });
      expect(await refused({ deadline: "1 hour" })).toBe("INSTANCE_TERMINAL");
      expect(await refused({ memo: null })).toBe("done");
    });

    test("S6-023 an earlier deadline by the service wakes the run by then, and its hook is due then", async () => {
      const { services } = scene.fragment;
      await listen("early");
      await call(() => services.update("listens", "early", { deadline: 5000 }));
      await createDurableHooksProcessor([scene.fragment]).process();
      told.length = 0;
      await scene.clock.advance(5000);
      await createDurableHooksProcessor([scene.fragment]).process();
      expect(told).toContainEqual({
        workflowName: "listens",
        instanceId: "early",
        reason: "wake",
      });
      expect(await outcomeOf("early")).toBe("errored");
    });
  });
}
