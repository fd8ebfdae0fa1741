/** What export and close promise, and that what has moved goes on, on every kind of store. */
import type { Engine } from "@escapement/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { drive, makePaused, openHarness, type Played, readAll, resumeAll } from "./move.ts";
import { begin, lastToken } from "./programs.ts";
import { openMemory, STORES, type Timed } from "./stores.ts";

let count = 0;
const newId = (): string => `m-${(count += 1)}`;

const parse = (line: string): unknown => JSON.parse(line);

const refusal = (code: string) => expect.objectContaining({ code });
const statusOf = async (engine: Engine, name: string, id: string): Promise<string> =>
  (await engine.getInstance(name, id)).details.status;
describe.each(Object.entries(STORES))("%s", (_name, openStore) => {
  let timed: Timed;
  let harness: Played;
  let engine: Engine;
  beforeAll(async () => {
    timed = await openStore();
    harness = openHarness(timed);
    engine = harness.engine;
  });
  afterAll(async () => {
    begin();
    await timed.close();
  });

  test("S8-006 who goes on is not exported, nor is one whose child does, nor a child whose parent has not ended: the refusal names it", async () => {
    const id = newId();
    await engine.createInstance("family", { id });
    await harness.runUntilIdle();
    const whole = () => readAll(engine.export("family", id));
    await expect(whole()).rejects.toMatchObject({
      code: "INSTANCE_NOT_PAUSED",
      details: { instanceId: id, liveInstanceId: id, status: "waiting" },
    });
    await engine.control("family", id, "pause");
    const refused = await whole().catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: "INSTANCE_NOT_PAUSED",
      details: { liveWorkflowName: "child", status: "waiting" },
    });
    const childId = String(
      (refused as { details: Record<string, unknown> }).details["liveInstanceId"],
    );
    await engine.control("child", childId, "pause");
    await expect(readAll(engine.export("child", childId))).rejects.toMatchObject({
      code: "INSTANCE_NOT_PAUSED",
      details: { liveInstanceId: id, status: "paused" },
    });
    const lines = await whole();
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ kind: "end", counts: { instance: 2 } });
    await expect(readAll(engine.export("family", "none"))).rejects.toEqual(
      refusal("INSTANCE_NOT_FOUND"),
    );
  });

  test("S8-006 what was written is what is read: status, values, runs, steps, events, stream", async () => {
    const id = newId();
    await engine.createInstance("topics", { id, tags: ["x"], memo: 1n, deadline: "300 days" });
    await harness.runUntilIdle();
    await engine.control("topics", id, "restart");
    await harness.runUntilIdle();
    await engine.control("topics", id, "pause");
    const lines = await readAll(engine.export("topics", id));
    const target = openHarness(await openMemory());
    expect(await target.engine.import(lines)).toEqual([
      { workflowName: "topics", id, instanceCount: 1 },
    ]);
    expect((await target.engine.getInstance("topics", id)).details).toEqual(
      (await engine.getInstance("topics", id)).details,
    );
    for (const runNumber of [1, 2]) {
      const there = await target.engine.listHistory("topics", id, { runNumber });
      expect(there).toEqual(await engine.listHistory("topics", id, { runNumber }));
    }
    expect(await target.engine.readProgress("topics", id)).toEqual(
      await engine.readProgress("topics", id),
    );
    // And back again: what is not of the database is as it was.
    const back = await readAll(target.engine.export("topics", id));
    expect(back.slice(1, -1).map(parse)).toEqual(lines.slice(1, -1).map(parse));
  });

  test("S8-006 events that nobody has taken are taken there, in their order", async () => {
    const source = openHarness(await openMemory());
    const id = newId();
    const lines = await makePaused(source, id);
    await engine.import(lines);
    await resumeAll(engine);
    await drive(harness, { name: "events", id });
    expect((await engine.getInstance("events", id)).details.output).toMatchObject([
      [1, 0, 2, 1, 3, 2],
      ["other 1", "other 2"],
      "none",
    ]);
  });

  test("S8-006 where it comes from it is ended before it is resumed, once, and only as it was exported", async () => {
    const id = newId();
    const lines = await makePaused(harness, id);
    expect(await engine.closeMoved(lines)).toEqual([
      { workflowName: "events", id, instanceCount: 1 },
    ]);
    expect((await engine.getInstance("events", id)).details).toMatchObject({
      status: "terminated",
      error: { name: "InstanceMoved" },
    });
    await engine.control("events", id, "resume");
    expect(await statusOf(engine, "events", id)).toBe("terminated");
    expect(await engine.closeMoved(lines)).toMatchObject([{ instanceCount: 0 }]);
    expect(await engine.deleteInstance("events", id)).toEqual({ deletedCount: 1 });
    expect(await engine.closeMoved(lines)).toMatchObject([{ instanceCount: 0 }]);
  });

  test.each([
    ["an event came", (id: string) => engine.sendEvent("events", id, { type: "go" })],
    ["it was resumed", (id: string) => engine.control("events", id, "resume")],
    [
      "it was resumed and paused again",
      async (id: string) => {
        await engine.control("events", id, "resume");
        await engine.control("events", id, "pause");
      },
    ],
    ["its tags were changed", (id: string) => engine.update("events", id, { tags: ["c"] })],
  ])("S8-006 where %s since its export, it is not ended, and goes on", async (_why, change) => {
    const id = newId();
    const lines = await makePaused(harness, id);
    await change(id);
    await expect(engine.closeMoved(lines)).rejects.toEqual(refusal("INSTANCE_CHANGED"));
    expect(await statusOf(engine, "events", id)).not.toBe("terminated");
    await engine.control("events", id, "terminate");
  });

  test("S8-006 what comes while it is exported leaves a file without an end", async () => {
    const id = newId();
    await makePaused(harness, id);
    const lines: string[] = [];
    const reading = async (): Promise<void> => {
      for await (const line of engine.export("events", id)) {
        if (lines.length === 0) await engine.control("events", id, "resume");
        lines.push(line);
      }
    };
    await expect(reading()).rejects.toEqual(refusal("INSTANCE_CHANGED"));
    expect(lines.join("")).not.toContain(`"kind":"end"`);
    await engine.control("events", id, "terminate");
  });

  test("S8-006 a callback's token that was given away before works where the keys are the same, and is refused elsewhere", async () => {
    const source = openHarness(await openMemory());
    const id = newId();
    await source.engine.createInstance("callback", { id });
    await source.runUntilIdle();
    await source.engine.control("callback", id, "pause");
    const token = lastToken();
    const lines = await readAll(source.engine.export("callback", id));
    await engine.import(lines);
    await source.engine.closeMoved(lines);
    await expect(source.engine.completeCallback(token, "late")).rejects.toEqual(
      refusal("CALLBACK_LATE"),
    );
    const others = openHarness(timed, (store) => store, "other-keys-that-nobody-else-has-at-all");
    await expect(others.engine.completeCallback(token, "forged")).rejects.toEqual(
      refusal("CALLBACK_INVALID"),
    );
    await engine.completeCallback(token, "here");
    await resumeAll(engine);
    await harness.runUntilIdle();
    expect((await engine.getInstance("callback", id)).details).toMatchObject({
      status: "complete",
      output: ["here", "after"],
    });
  });

  test("S8-006 a message that was emitted before, and that nobody has handed on, is taken there", async () => {
    const from = await openMemory();
    const source = openHarness(from);
    const id = newId();
    await source.engine.createInstance("topics", { id });
    await source.runUntilIdle();
    await source.engine.control("topics", id, "pause");
    // As far as an emit has come whose process dies then.
    await from.store.emit({
      topic: "stock",
      topicRowId: `${id}-topic`,
      messageRowId: `${id}-message`,
      messageId: null,
      message: `{"payload":"early"}`,
      retention: { maxCount: 10, maxBytes: 1000, maxAgeMs: 1_000_000 },
      isDelivering: false,
    });
    const lines = await readAll(source.engine.export("topics", id));
    await engine.import(lines);
    await source.engine.closeMoved(lines);
    await resumeAll(engine);
    await harness.runUntilIdle();
    const { steps } = await engine.listHistory("topics", id, {});
    expect(steps.find(({ stepKey }) => stepKey === "first")).toMatchObject({
      status: "completed",
      result: { payload: { payload: "early" } },
    });
    const waiters = await engine.listWaiters("stock");
    expect(waiters.filter((waiter) => waiter.id === id)).toMatchObject([{ stepKey: "second" }]);
    await engine.control("topics", id, "terminate");
  });
});
