/** Bulk jobs and their surroundings: lists, names, keys, and engines without jobs. */
import { describe, expect, test } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createShop } from "../testing/testing-bulk-shop.ts";

describe("S8-004 jobs among other things", () => {
  test("S8-004 jobs are listed with how far they have come, newest first, page by page", async () => {
    const shop = createShop();
    for (const id of ["one", "two", "three"]) {
      await shop.engine().startBulk({ act: "retry", tag: id, id });
      await shop.clock.advance(1);
    }
    const first = await shop.engine().listBulks({ pageSize: 2 });
    expect(first.bulks.map(({ id, status }) => [id, status])).toEqual([
      ["three", "queued"],
      ["two", "queued"],
    ]);
    const rest = await shop.engine().listBulks({ pageSize: 2, cursor: first.cursor ?? "" });
    expect(rest).toMatchObject({
      bulks: [{ id: "one", filter: { tag: "one" } }],
      hasNextPage: false,
    });
  });

  test("S8-004 jobs are no instances that anybody else meets", async () => {
    const shop = createShop();
    await shop.engine().startBulk({ act: "retry", tag: "t", id: "j" });
    const engine = shop.engine();
    expect(engine.listWorkflows().map(({ name }) => name)).toEqual(["order", "other"]);
    expect((await engine.findInstances()).instances).toEqual([]);
    for (const call of [
      () => engine.findInstances({ workflows: ["escapement-bulk"] }),
      () => engine.getInstance("escapement-bulk", "j"),
      () => engine.createInstance("escapement-bulk", { params: { act: "delete" } }),
      () => engine.control("escapement-bulk", "j", "restart"),
      () => engine.deleteInstance("escapement-bulk", "j"),
      () => engine.startBulk({ act: "delete", workflows: ["escapement-bulk"] }),
    ])
      await expect(call()).rejects.toMatchObject({ code: "WORKFLOW_NOT_FOUND" });
    const explained = await engine.explainInstance("escapement-bulk", "j");
    expect(explained).toMatchObject({ cause: "due" });
  });

  test("S8-004 nobody else's workflow has the name", () => {
    const mine = defineWorkflow({ name: "escapement-bulk" }, async () => null);
    expect(() => createEngine({ workflows: { mine }, store: createMemoryStore() })).toThrow(
      expect.objectContaining({ code: "WORKFLOW_INVALID" }),
    );
  });

  test("S8-004 an engine that was not told to runs none, begins none, and still tells what one would do", async () => {
    const shop = createShop({ bulk: false });
    await shop.create(2, "broken", "b");
    const engine = shop.engine();
    const asked = { act: "retry", tag: "b" } as const;
    expect(await engine.previewBulk(asked)).toMatchObject({ count: 2 });
    for (const call of [
      () => engine.startBulk(asked),
      () => engine.listBulks(),
      () => engine.getBulk("x"),
      () => engine.cancelBulk("x"),
    ])
      await expect(call()).rejects.toMatchObject({ code: "BULK_DISABLED" });
  });

  test("S8-004 the same key begins one job; another filter under it is refused", async () => {
    const shop = createShop();
    const asked = { act: "retry", tag: "a", idempotencyKey: "k" } as const;
    const [first, again] = [
      await shop.engine().startBulk(asked),
      await shop.engine().startBulk(asked),
    ];
    expect(again.id).toBe(first.id);
    await expect(shop.engine().startBulk({ ...asked, tag: "b" })).rejects.toMatchObject({
      code: "IDEMPOTENCY_KEY_CONFLICT",
    });
  });

  test.each([
    [{}, "INVALID_REQUEST"],
    [{ act: "retry" }, "INVALID_REQUEST"],
    [{ act: "retry", stuck: false }, "INVALID_REQUEST"],
    [{ act: "explode", tag: "a" }, "INVALID_REQUEST"],
    [{ act: "constructor", tag: "a" }, "INVALID_REQUEST"],
    [{ act: "retry", tag: "" }, "INVALID_REQUEST"],
    [{ act: "retry", tag: "a".repeat(257) }, "INVALID_REQUEST"],
    [{ act: "retry", status: [] }, "INVALID_REQUEST"],
    [{ act: "retry", status: ["failed"] }, "INVALID_REQUEST"],
    [{ act: "retry", workflows: "order" }, "INVALID_REQUEST"],
    [{ act: "retry", workflows: ["none"] }, "WORKFLOW_NOT_FOUND"],
    [{ act: "retry", stuck: "yes" }, "INVALID_REQUEST"],
    [{ act: "retry", parent: "order/a" }, "INVALID_REQUEST"],
    [{ act: "retry", parent: { workflowName: "order", instanceId: "a", x: 1 } }, "UNKNOWN_OPTION"],
    [
      { act: "retry", parent: { workflowName: "order", instanceId: "../a" } },
      "INVALID_INSTANCE_ID",
    ],
    [{ act: "retry", createdFrom: -1 }, "INVALID_REQUEST"],
    [{ act: "retry", tga: "a" }, "UNKNOWN_OPTION"],
  ])("S8-004 S8-001 a filter that cannot be meant is refused: %j", async (input, code) => {
    const engine = createShop().engine();
    await expect(engine.previewBulk(input as never)).rejects.toMatchObject({ code });
    await expect(engine.startBulk(input as never)).rejects.toMatchObject({ code });
    expect((await engine.listBulks()).bulks).toEqual([]);
  });

  test("S8-004 texts that look like code are texts", async () => {
    const shop = createShop();
    const hostile = `'); drop table x; --"\\u0000%_{"code":1}`;
    await shop.create(1, "broken", "b");
    for (const said of [{ tag: hostile }, { idPrefix: hostile }, { errorCode: hostile }]) {
      expect(await shop.engine().previewBulk({ act: "retry", ...said })).toMatchObject({
        count: 0,
      });
      const { id } = await shop.engine().startBulk({ act: "retry", ...said });
      await shop.harness.runUntilIdle();
      expect(await shop.engine().getBulk(id)).toMatchObject({ status: "complete", filter: said });
    }
    expect(await shop.howMany("errored")).toBe(1);
  });
});
